// The types of other modules that the facade's signatures name, one by one: an app needs one import, and no name of
// another package is hidden. (A typealias would not do: with member import visibility its members cannot be used.)

// What an app may implement, and what its own implementations are handed and answer.
@_exported public import struct GatehouseBase.Alarm
@_exported public import struct GatehouseBase.AlarmCancellation
// Errors, and what the user's calls return.
@_exported public import struct GatehouseBase.AuthError
@_exported public import struct GatehouseBase.ClockReading
@_exported public import protocol GatehouseBase.Clocks
@_exported public import protocol GatehouseBase.CredentialStore
@_exported public import struct GatehouseBase.JSONObject
@_exported public import enum GatehouseBase.JSONValue
@_exported public import struct GatehouseBase.PendingRevocation
@_exported public import struct GatehouseBase.ProviderProfile
@_exported public import struct GatehouseBase.QueueDiagnostics
@_exported public import protocol GatehouseBase.RandomSource
@_exported public import struct GatehouseBase.Secret
@_exported public import struct GatehouseBase.SessionTokens
@_exported public import enum GatehouseBase.StoreCondition
@_exported public import protocol GatehouseBase.StoreLock
@_exported public import enum GatehouseBase.StoreOutcome
@_exported public import struct GatehouseBase.StoredSession
// The check that stops the process when a threading rule is broken.
@_exported public import enum GatehouseBase.StrictMode
@_exported public import struct GatehouseBase.SystemClocks
@_exported public import struct GatehouseBase.SystemRandomSource
@_exported public import struct GatehouseBase.UserProfile
@_exported public import protocol IdentityToolkit.Backend
@_exported public import protocol IdentityToolkit.Call
