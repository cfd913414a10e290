// Types in this module's signatures.
@_exported public import struct GatehouseBase.AuthError
@_exported public import struct GatehouseBase.Secret
