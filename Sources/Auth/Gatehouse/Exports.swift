// What every app names: errors, stores, clocks. A dependent with member import visibility needs it in scope to read
// `error.code`.
@_exported public import GatehouseBase
