package import GatehouseBase

/// Permits a fetch for one caller, or throws. The reading is that of the caller's clocks.
package typealias TokenReplacing = @Sendable (ClockReading) throws(AuthError) -> Void
