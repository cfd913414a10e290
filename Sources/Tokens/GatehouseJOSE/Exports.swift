// Whoever names a key or an error of this module need not know which module below declares it.
@_exported public import GatehouseBase
@_exported public import GatehouseCrypto
