// The types that `AdminAuth` names.
@_exported public import class GatehouseBase.AuthError
@_exported public import protocol GatehouseBase.Clocks
@_exported public import typealias GatehouseBase.Completion
@_exported public import struct GatehouseBase.JSONObject
@_exported public import enum GatehouseBase.JSONValue
@_exported public import struct GatehouseBase.ProviderProfile
@_exported public import struct GatehouseBase.SecondFactor
@_exported public import struct GatehouseBase.Secret
@_exported public import struct GatehouseBase.SystemClocks
@_exported public import protocol GatehouseHTTP.HTTPTransport
@_exported public import struct GatehouseHTTP.TransportHeaders
@_exported public import struct GatehouseHTTP.TransportRequest
@_exported public import struct GatehouseHTTP.TransportResponse
@_exported public import protocol GatehouseJOSE.TokenAuthority
@_exported public import protocol GatehouseJOSE.TokenClaims
@_exported public import struct GatehouseJOSE.VerifiedToken
@_exported public import struct GatehouseREST.RESTServer
@_exported public import protocol IdentityToolkit.Backend
@_exported public import protocol IdentityToolkit.Call

// `catch AuthErrorCode.userNotFound`. The compiler needs the spaces, which the formatter would remove.
// swift-format-ignore
@_exported public import func GatehouseBase . ~=
