// What `LocalBackend` names.
@_exported public import struct GatehouseBase.AuthError
@_exported public import protocol GatehouseBase.Clocks
@_exported public import struct GatehouseBase.SystemClocks
@_exported public import struct GatehouseJOSE.JWKSet
@_exported public import protocol IdentityToolkit.Backend
@_exported public import protocol IdentityToolkit.Call
