// Types in this module's signatures.
@_exported public import class GatehouseBase.AuthError
@_exported public import protocol GatehouseBase.Clocks
@_exported public import struct GatehouseBase.SystemClocks
@_exported public import protocol GatehouseHTTP.HTTPTransport
@_exported public import struct GatehouseHTTP.TransportRequest
@_exported public import struct GatehouseHTTP.TransportResponse
@_exported public import protocol NIOCore.EventLoopGroup

// `catch AuthErrorCode.userNotFound`. The compiler needs the spaces, which the formatter would remove.
// swift-format-ignore
@_exported public import func GatehouseBase . ~=
