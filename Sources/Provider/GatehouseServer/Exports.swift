// The types that this module's types name.
@_exported public import protocol CoreMetrics.MetricsFactory
@_exported public import enum CoreMetrics.MetricsSystem
@_exported public import class GatehouseBase.AuthError
@_exported public import protocol GatehouseBase.Clocks
@_exported public import typealias GatehouseBase.Completion
@_exported public import struct GatehouseBase.JSONLimits
@_exported public import struct GatehouseBase.SystemClocks
@_exported public import struct GatehouseHTTP.TransportHeaders
@_exported public import class GatehouseLocal.LocalBackend
@_exported public import struct GatehouseLocal.LocalOptions
@_exported public import struct GatehouseLocal.OutgoingMessage
@_exported public import struct GatehouseLocal.OutgoingText
@_exported public import protocol Tracing.Tracer

// `catch AuthErrorCode.userNotFound`. The compiler needs the spaces, which the formatter would remove.
// swift-format-ignore
@_exported public import func GatehouseBase . ~=
