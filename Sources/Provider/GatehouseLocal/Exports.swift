// The types that `LocalBackend` names.
@_exported public import class GatehouseBase.AuthError
@_exported public import protocol GatehouseBase.Clocks
@_exported public import typealias GatehouseBase.Completion
@_exported public import struct GatehouseBase.JSONObject
@_exported public import enum GatehouseBase.JSONValue
@_exported public import struct GatehouseBase.Secret
@_exported public import struct GatehouseBase.SystemClocks
@_exported public import struct GatehouseJOSE.JWKSet
@_exported public import protocol GatehouseJOSE.TokenAuthority
@_exported public import struct IdentityToolkit.ActionCodeType
@_exported public import protocol IdentityToolkit.Backend
@_exported public import protocol IdentityToolkit.Call

// `catch AuthErrorCode.userNotFound`. The compiler needs the spaces, which the formatter would remove.
// swift-format-ignore
@_exported public import func GatehouseBase . ~=
