// The types that the calls of this module name.
@_exported public import struct GatehouseBase.AuthError
@_exported public import struct GatehouseBase.Secret
