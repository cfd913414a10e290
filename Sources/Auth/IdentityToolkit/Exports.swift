// The types that the calls of this module name.
@_exported public import class GatehouseBase.AuthError
@_exported public import struct GatehouseBase.Secret
