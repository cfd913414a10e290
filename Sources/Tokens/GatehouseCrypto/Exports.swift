// Types in this module's signatures.
@_exported public import class GatehouseBase.AuthError
@_exported public import struct GatehouseBase.Secret
