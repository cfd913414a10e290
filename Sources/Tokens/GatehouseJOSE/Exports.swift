// Types in this module's signatures, one by one. Nothing else is exported, so that swift-crypto and swift-http-types
// can be imported as well.
@_exported public import class GatehouseBase.AuthError
@_exported public import protocol GatehouseBase.Clocks
@_exported public import struct GatehouseBase.JSONLimits
@_exported public import struct GatehouseBase.JSONNumber
@_exported public import struct GatehouseBase.JSONObject
@_exported public import enum GatehouseBase.JSONValue
@_exported public import struct GatehouseBase.Secret
@_exported public import struct GatehouseBase.SystemClocks
@_exported public import struct GatehouseCrypto.CertificateRule
@_exported public import enum GatehouseCrypto.EllipticCurve
@_exported public import enum GatehouseCrypto.HashAlgorithm
@_exported public import enum GatehouseCrypto.KeyType
@_exported public import enum GatehouseCrypto.OKPCurve
@_exported public import struct GatehouseCrypto.PrivateKey
@_exported public import struct GatehouseCrypto.PublicKey
@_exported public import struct GatehouseCrypto.SecretKey
@_exported public import enum GatehouseCrypto.SignatureAlgorithm
@_exported public import struct GatehouseCrypto.X509Certificate
@_exported public import protocol GatehouseHTTP.HTTPTransport
@_exported public import struct GatehouseHTTP.TransportHeaders
@_exported public import struct GatehouseHTTP.TransportRequest
@_exported public import struct GatehouseHTTP.TransportResponse

// `catch AuthErrorCode.userNotFound`. The compiler needs the spaces, which the formatter would remove.
// swift-format-ignore
@_exported public import func GatehouseBase . ~=
