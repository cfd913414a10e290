// The types that the calls of this module name.
@_exported public import class GatehouseBase.AuthError
@_exported public import struct GatehouseBase.Secret

// `catch AuthErrorCode.userNotFound`. The compiler needs the spaces, which the formatter would remove.
// swift-format-ignore
@_exported public import func GatehouseBase . ~=
