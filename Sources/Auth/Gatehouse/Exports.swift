// The types of other modules that the facade's signatures name: results of calls, and the arguments and results of an
// app's own backends, stores, clocks and random sources. They are exported one by one, so that an app needs one import
// and no name of another package is hidden. (A typealias would not do: with member import visibility its members cannot
// be used.)
@_exported public import struct GatehouseBase.Alarm
@_exported public import struct GatehouseBase.AlarmCancellation
@_exported public import class GatehouseBase.AuthError
@_exported public import enum GatehouseBase.AuthErrors
@_exported public import struct GatehouseBase.ClockReading
@_exported public import protocol GatehouseBase.Clocks
@_exported public import typealias GatehouseBase.Completion
@_exported public import protocol GatehouseBase.CredentialStore
@_exported public import struct GatehouseBase.JSONObject
@_exported public import enum GatehouseBase.JSONValue
@_exported public import struct GatehouseBase.PendingRevocation
@_exported public import struct GatehouseBase.PendingSignIn
@_exported public import struct GatehouseBase.ProviderProfile
@_exported public import struct GatehouseBase.QueueDiagnostics
@_exported public import protocol GatehouseBase.RandomSource
@_exported public import struct GatehouseBase.SecondFactor
@_exported public import struct GatehouseBase.Secret
@_exported public import struct GatehouseBase.SessionShelf
@_exported public import struct GatehouseBase.SessionTokens
@_exported public import enum GatehouseBase.StoreCondition
@_exported public import protocol GatehouseBase.StoreLock
@_exported public import enum GatehouseBase.StoreOutcome
@_exported public import protocol GatehouseBase.StoreWatch
@_exported public import struct GatehouseBase.StoredSession
@_exported public import enum GatehouseBase.StrictMode
@_exported public import struct GatehouseBase.SystemClocks
@_exported public import struct GatehouseBase.SystemRandomSource
@_exported public import struct GatehouseBase.TokenRotation
@_exported public import struct GatehouseBase.UserProfile
@_exported public import protocol GatehouseBase.UserShelf
@_exported public import protocol IdentityToolkit.Backend
@_exported public import protocol IdentityToolkit.Call

// `catch AuthErrorCode.userNotFound`. The compiler needs the spaces, which the formatter would remove.
// swift-format-ignore
@_exported public import func GatehouseBase . ~=
