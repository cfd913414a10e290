import GRDB
import GatehouseBase
import GatehouseHTTP

// The names of what an administrator has changed, for the audit log. Never the values.

extension StoredAccount {
  /// Returns the names of the columns whose values differ, without the times that follow from other changes.
  func changedNames(from old: StoredAccount) -> [String] {
    func differ(_ one: String?, _ other: String?) -> Bool {
      guard let one, let other else { return (one == nil) != (other == nil) }
      return !one.isExactly(other)
    }
    let changes = [
      ("email", differ(email, old.email)), ("emailVerified", emailVerified != old.emailVerified),
      ("phoneNumber", differ(phoneNumber, old.phoneNumber)), ("displayName", differ(displayName, old.displayName)),
      ("photoURL", differ(photoURL, old.photoURL)), ("password", differ(password, old.password)),
      ("emailLink", emailLink != old.emailLink), ("customAuth", customAuth != old.customAuth),
      ("disabled", disabled != old.disabled), ("validSince", validSince != old.validSince),
      ("claims", differ(claims, old.claims)),
    ]
    return changes.filter(\.1).map(\.0)
  }
}

/// The identities and second factors of an account, which are rows of their own.
struct AccountRows {
  private let identities: [[String: DatabaseValue]]
  private let factors: [[String: DatabaseValue]]

  /// The rows of an account that has none.
  init() { (identities, factors) = ([], []) }

  init(of account: StoredAccount, in db: Database) throws {
    identities = try StoredIdentity.all(of: account.uid, in: db).map { try $0.databaseDictionary }
    factors = try StoredSecondFactor.all(of: account.uid, in: db).map { try $0.databaseDictionary }
  }

  /// Returns the names of the kinds of rows that differ.
  func changedNames(from old: AccountRows) -> [String] {
    (identities == old.identities ? [] : ["identities"]) + (factors == old.factors ? [] : ["secondFactors"])
  }
}

extension JSONObject {
  /// The maximum number of names.
  private static let maximumNames = 50

  /// Returns the names of the members that differ: `a.b` for a member of a member. A name that is not a word, such as a
  /// phone number, is a value: then the object that it is in is named.
  func changedNames(from old: JSONObject) -> [String] {
    var names: [String] = []
    func add(_ name: String) {
      if names.count < Self.maximumNames, !names.contains(where: { $0.isExactly(name) }) { names.append(name) }
    }
    for name in differing(from: old) {
      guard name.isWord else { continue }
      let inner = (self[name]?.object).flatMap { new in (old[name]?.object).map { new.differing(from: $0) } } ?? []
      if inner.isEmpty || inner.contains(where: { !$0.isWord }) { add(name) }
      for member in inner where member.isWord { add("\(name).\(member)") }
    }
    return names
  }

  private func differing(from old: JSONObject) -> [String] {
    names.filter { self[$0] != old[$0] } + old.names.filter { self[$0] == nil }
  }
}

extension String {
  /// Whether this has the form of a member's name: a letter, and 63 letters and digits at most.
  fileprivate var isWord: Bool {
    guard let first = utf8.first, utf8.count <= 64 else { return false }
    return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) && utf8.allSatisfy(\.isLetterOrDigit)
  }
}
