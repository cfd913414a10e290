@_exported public import struct GatehouseBase.Alarm
@_exported public import struct GatehouseBase.AlarmCancellation
@_exported public import struct GatehouseBase.ClockReading
// The types that this module's clocks name.
@_exported public import protocol GatehouseBase.Clocks
