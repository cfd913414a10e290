/// A signing key as an administrator sees it. Times are in seconds since 1970.
package struct KeyRecord: Sendable, Hashable {
  package enum State: String, Sendable {
    /// Published, but not signing yet.
    case next
    case signing
    /// Still verifies the tokens that it has signed, but no longer signs.
    case retired
  }

  package let keyID: String
  package let algorithm: String
  package let state: State
  package let createdAt: Int64
  package let signsFrom: Int64
  /// The time at which its last token expires; `nil` while no other key is going to replace it.
  package let verifiesUntil: Int64?

  static func all(_ rows: [StoredKey], at now: Moment) -> [KeyRecord] {
    rows.present.map { row in
      let state: State =
        if row == rows.signing(row.algorithm, at: now) {
          .signing
        } else if row.signsFrom > now.seconds {
          .next
        } else {
          .retired
        }
      return KeyRecord(
        keyID: row.keyID, algorithm: row.algorithm, state: state, createdAt: row.createdAt / 1000,
        signsFrom: row.signsFrom, verifiesUntil: rows.verifiesUntil(row))
    }
  }
}
