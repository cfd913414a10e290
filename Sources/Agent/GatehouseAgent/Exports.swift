// The types of other modules that an agent's users name: arguments and results of its calls, and what a source of
// theirs returns.
@_exported public import class GatehouseBase.AuthError
@_exported public import struct GatehouseBase.ClockReading
@_exported public import protocol GatehouseBase.Clocks
@_exported public import typealias GatehouseBase.Completion
@_exported public import struct GatehouseBase.LentToken
@_exported public import protocol GatehouseBase.RandomSource
@_exported public import struct GatehouseBase.Secret
@_exported public import struct GatehouseBase.SystemClocks
@_exported public import struct GatehouseBase.SystemRandomSource
@_exported public import protocol GatehouseBase.TokenSource
