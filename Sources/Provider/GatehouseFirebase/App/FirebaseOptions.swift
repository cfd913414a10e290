package import Gatehouse
import GatehouseBase
public import GatehouseLocal
import GatehouseQueues
import GatehouseSystem

/// The options of a `FirebaseApp`: the location of its accounts and session, and Firebase's own.
///
/// A class, as in Firebase: the properties of a `let` can be set. Changes after `configure` have no effect. Usable from
/// any thread.
public final class FirebaseOptions: Sendable {
  private struct Values: Sendable {
    var home: String?
    var provider = LocalOptions()
    var googleAppID = ""
    var gcmSenderID = ""
    var texts: [Text: String] = [:]
    var timeouts = Auth.Timeouts()
  }

  private enum Text: Sendable { case apiKey, bundleID, clientID, databaseURL, storageBucket, appGroupID }

  private let values = Lock(Values())

  /// Makes options with the user's home and the provider's defaults, except that enumeration protection is off.
  public init() { values.withLock { $0.provider.enumerationProtection = false } }

  /// Makes options with Firebase's identifiers, which are kept and have no effect here.
  public convenience init(googleAppID: String, gcmSenderID: String) {
    self.init()
    self.googleAppID = googleAppID
    self.gcmSenderID = gcmSenderID
  }

  /// Makes a copy, which later changes do not affect.
  init(_ other: FirebaseOptions) {
    let copied = other.values.withLock { $0 }
    values.withLock { $0 = copied }
  }

  /// The folder; `nil` for `$GATEHOUSE_HOME`, otherwise `gatehouse` in `$XDG_STATE_HOME` or `~/.local/state`.
  public var home: String? {
    get { values.withLock { $0.home } }
    set { values.withLock { $0.home = newValue } }
  }

  /// The limits of the calls, which Firebase does not have. A test sets longer ones: the machine may be busy.
  package var timeouts: Auth.Timeouts {
    get { values.withLock { $0.timeouts } }
    set { values.withLock { $0.timeouts = newValue } }
  }

  /// The settings of the provider.
  public var provider: LocalOptions {
    get { values.withLock { $0.provider } }
    set { values.withLock { $0.provider = newValue } }
  }

  /// The project's name: the audience of the ID tokens. `nil` sets the default, `local`.
  public var projectID: String? {
    get { values.withLock { $0.provider.projectID } }
    set { values.withLock { $0.provider.projectID = newValue ?? LocalOptions().projectID } }
  }

  /// The app's identifier at Google. Kept, without effect.
  public var googleAppID: String {
    get { values.withLock { $0.googleAppID } }
    set { values.withLock { $0.googleAppID = newValue } }
  }

  /// The sender of push messages. Kept, without effect.
  public var gcmSenderID: String {
    get { values.withLock { $0.gcmSenderID } }
    set { values.withLock { $0.gcmSenderID = newValue } }
  }

  /// The API key of a project at Google. The embedded provider needs none.
  public var apiKey: String? {
    get { text(.apiKey) }
    set { set(.apiKey, newValue) }
  }

  /// The app's bundle. Kept, without effect.
  public var bundleID: String {
    get { text(.bundleID) ?? "" }
    set { set(.bundleID, newValue) }
  }

  /// The OAuth client. Kept, without effect.
  public var clientID: String? {
    get { text(.clientID) }
    set { set(.clientID, newValue) }
  }

  /// The URL of a database. Kept, without effect.
  public var databaseURL: String? {
    get { text(.databaseURL) }
    set { set(.databaseURL, newValue) }
  }

  /// The bucket of a storage. Kept, without effect.
  public var storageBucket: String? {
    get { text(.storageBucket) }
    set { set(.storageBucket, newValue) }
  }

  /// The app group. Kept, without effect.
  public var appGroupID: String? {
    get { text(.appGroupID) }
    set { set(.appGroupID, newValue) }
  }

  private func text(_ text: Text) -> String? { values.withLock { $0.texts[text] } }

  private func set(_ text: Text, _ value: String?) { values.withLock { $0.texts[text] = value } }

  func folder() throws(AuthError) -> String {
    try DefaultHome.path(home) { name in
      CurrentProcess.variable(name).flatMap { String(validating: $0, as: UTF8.self) }
    }
  }
}
