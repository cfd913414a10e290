@_exported public import struct GatehouseBase.Alarm
@_exported public import struct GatehouseBase.AlarmCancellation
@_exported public import struct GatehouseBase.ClockReading
// What the signatures of this module name.
@_exported public import protocol GatehouseBase.Clocks
@_exported public import protocol GatehouseBase.RandomSource
