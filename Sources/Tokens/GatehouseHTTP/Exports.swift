// What the signatures of this module name.
@_exported public import struct GatehouseBase.AuthError
