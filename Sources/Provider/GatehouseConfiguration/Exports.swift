// The types that `LocalOptions.init(reading:over:)` and `ProviderSettings` name.
@_exported public import protocol Configuration.ConfigProvider
@_exported public import struct Configuration.ConfigReader
@_exported public import class GatehouseBase.AuthError
@_exported public import struct GatehouseLocal.LocalOptions

// `catch AuthErrorCode.userNotFound`. The compiler needs the spaces, which the formatter would remove.
// swift-format-ignore
@_exported public import func GatehouseBase . ~=
