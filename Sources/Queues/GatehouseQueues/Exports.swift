@_exported public import struct GatehouseBase.Alarm
@_exported public import struct GatehouseBase.AlarmCancellation
@_exported public import struct GatehouseBase.ClockReading
// Types in this module's signatures, exported so that an implementation of clocks needs no other import.
@_exported public import protocol GatehouseBase.Clocks
@_exported public import struct GatehouseBase.SystemClocks
