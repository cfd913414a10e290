// Types in this module's signatures.
@_exported public import class GatehouseBase.AuthError

// `catch AuthErrorCode.userNotFound`. The compiler needs the spaces, which the formatter would remove.
// swift-format-ignore
@_exported public import func GatehouseBase . ~=
