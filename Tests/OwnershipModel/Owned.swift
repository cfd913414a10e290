import GatehouseLocal

/// An account as it should be after the calls so far.
struct Owned: Equatable {
  struct Way: Equatable {
    let value: String
    /// The step in which it was added.
    let since: Int
  }

  let uid: String
  let tenant: String
  var email: String?
  var isVerified = false
  /// The step in which the password was set.
  var password: Int?
  var hasLink = false
  var isCustom = false
  var phone: Way?
  /// The users of identity providers, by provider.
  var identities: [String: Way] = [:]
  /// The second factors: when each was added, and whether by the user.
  var factors: [String: Factor] = [:]
  var isDisabled = false
  /// The step in which a code of a message has verified the address, or brought the account there, while what it had
  /// stayed.
  var verified = 0
  /// The person who has signed up, with the address.
  var maker: Person?
  /// Everyone whose network may be one of the owner's: who got the first tokens, and who has read the account's mail.
  var owners: Set<Person> = []
  /// Everyone who has made a call for the account.
  var visitors: Set<Person> = []
  /// Whether what the account knows may be forgotten: an administrator has changed it, or all else has ended.
  var isForgotten = false

  struct Factor: Equatable {
    let since: Int
    let byUser: Bool
  }

  init(_ uid: String, _ tenant: String) { (self.uid, self.tenant) = (uid, tenant) }

  mutating func setAddress(_ address: String, isVerified: Bool) {
    email = address
    self.isVerified = isVerified
  }

  /// Whether a user can sign in again.
  var hasWays: Bool { isCustom || phone != nil || email != nil && (password != nil || hasLink) || !identities.isEmpty }

  /// Whether the account has something that only a fresh proof may change.
  var isGuarded: Bool { email != nil && isVerified || phone != nil || !factors.isEmpty }

  /// The differences to the account as it is.
  func differences(to record: AccountRecord) -> [String] {
    var methods = Set(identities.keys)
    if password != nil { methods.insert("password") }
    if hasLink { methods.insert("emailLink") }
    if phone != nil { methods.insert("phone") }
    if isCustom { methods.insert("custom") }
    var differences: [String] = []
    func compare<Value: Equatable>(_ name: String, _ expected: Value, _ found: Value) {
      if expected != found { differences.append("\(name): \(found) instead of \(expected)") }
    }
    compare("address", email, record.email)
    compare("is verified", isVerified, record.isEmailVerified)
    compare("ways", methods.sorted(), record.signInMethods.filter { $0 != "anonymous" }.sorted())
    compare("phone", phone?.value, record.phoneNumber)
    compare("factors", factors.keys.sorted(), record.secondFactors.map(\.uid).sorted())
    compare("is disabled", isDisabled, record.isDisabled)
    return differences
  }
}
