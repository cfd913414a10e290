import GRDB
import GatehouseBase

/// The phones that an administrator makes an account's second factors. They are checked as far as possible without the
/// database.
struct PhoneFactorList: Sendable {
  private let factors: [EnrolledPhone]

  /// Refuses too many phones, duplicates, and invalid numbers.
  init(_ given: [EnrolledPhone]) throws(AuthError) {
    guard given.count <= StoredSecondFactor.most else { throw AuthError(server: .secondFactorLimitExceeded) }
    var factors: [EnrolledPhone] = []
    for var factor in given {
      factor.phoneNumber = try factor.phoneNumber.map { text throws(AuthError) in try PhoneNumber(text).text }
      factor.displayName = try factor.displayName.flatMap(ProfileField.displayName.checked)
      if let id = factor.id { try Identifier.check(id) }
      let isTwice = factors.contains { other in
        factor.id != nil && other.id.isExactly(factor.id)
          || factor.phoneNumber != nil && other.phoneNumber.isExactly(factor.phoneNumber)
      }
      guard !isTwice else { throw AuthError(server: .secondFactorExists) }
      factors.append(factor)
    }
    self.factors = factors
  }

  var isEmpty: Bool { factors.isEmpty }

  /// Makes these the account's factors. A known factor that is listed is kept, although its name may change; the others
  /// are removed. The sessions that have shown a factor which is gone, or a former number, have shown none from now on.
  func replaceFactors(of account: StoredAccount, at now: Moment, in db: Database) throws {
    let old = try StoredSecondFactor.all(of: account.uid, in: db)
    guard !old.isEmpty || !factors.isEmpty else { return }
    let wanted = factors.compactMap(\.id).exactly
    for factor in old where !wanted.contains(factor.id) {
      _ = try factor.delete(db)
      try StoredRefreshToken.forgetFactor(factor.id, of: account.uid, in: db)
    }
    var times = Set(old.map(\.enrolledAt))
    for factor in factors {
      if var known = old.first(where: { factor.id?.isExactly($0.id) == true }) {
        known.displayName = factor.displayName ?? known.displayName
        if known.kind == StoredSecondFactor.phone, let number = factor.phoneNumber,
          !number.isExactly(known.phoneNumber ?? "")
        {
          known.phoneNumber = number
          try StoredRefreshToken.forgetFactor(known.id, of: account.uid, in: db)
        }
        try known.update(db)
      } else {
        if let id = factor.id, try db.finds("SELECT 1 FROM secondFactor WHERE id = ?", [id]) {
          throw AuthError(server: .secondFactorExists)
        }
        guard let number = factor.phoneNumber else { throw AuthError(server: .missingPhoneNumber) }
        // Factors are listed by this time, so that new ones are in the order in which they were given.
        var enrolledAt = factor.enrolledAt ?? now.milliseconds
        while !times.insert(enrolledAt).inserted { enrolledAt += 1 }
        try StoredSecondFactor(
          id: try factor.id ?? Identifier.make(), uid: account.uid, kind: StoredSecondFactor.phone,
          displayName: factor.displayName, secret: "", phoneNumber: number, lastStep: 0,
          enrolledAt: enrolledAt
        ).insert(db)
      }
    }
    if factors.isEmpty { try StoredSecondFactor.forgetAll(of: account.uid, in: db) }
  }
}
