// The types of other modules that a client's users name.
@_exported public import class GatehouseBase.AuthError
@_exported public import struct GatehouseBase.ClockReading
@_exported public import protocol GatehouseBase.Clocks
@_exported public import typealias GatehouseBase.Completion
@_exported public import struct GatehouseBase.LentToken
@_exported public import struct GatehouseBase.Secret
@_exported public import struct GatehouseBase.SystemClocks

// `catch AuthErrorCode.userNotFound`. The compiler needs the spaces, which the formatter would remove.
// swift-format-ignore
@_exported public import func GatehouseBase . ~=
