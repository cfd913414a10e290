// The types that this module's types name.
@_exported public import struct GatehouseJOSE.AuthenticatedUser
@_exported public import enum GatehouseJOSE.Authentication
@_exported public import struct GatehouseJOSE.AuthenticationRefusal
@_exported public import struct GatehouseJOSE.RequestAuthenticator
