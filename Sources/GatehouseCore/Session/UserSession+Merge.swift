import GatehouseBase
import GatehouseQueues

// Two `Auth`s may change one stored session. Each writes only over the version that it knows; when another came between,
// it puts together what it knew, what is stored now, and its own changes.
//
//     of                    is kept
//     profile               each part that was changed here, unless it was changed there as well
//     mark of a change      what was changed there
//     tokens                what is stored, if there is nothing new here; else those of more revoking changes, for they
//                           revoked the others; of as many, those that came later
//
// An earlier version than the one that was known is a copy that somebody has put back: of it only better tokens count.
extension UserSession {
  /// Takes what the store holds of this session.
  ///
  /// - Returns: whether that changed anything here.
  func merge(_ stored: StoredSession) -> Bool {
    let (base, isOwn) = (known, hasWritten(stored))
    known = stored
    if isOwn { return false }
    let before = (profile, pendingRevocation, tokens, revocations)
    let isLater = stored.generation >= base.generation
    if isLater { profile = profile.merged(with: stored.profile, since: base.profile) }
    if stored.pendingRevocation != base.pendingRevocation { pendingRevocation = stored.pendingRevocation }
    let hasNone = tokens == base.tokens && revocations == base.revocations
    if isLater && hasNone || !hasBetterTokens(than: stored) { adoptTokens(of: stored) }
    return before != (profile, pendingRevocation, tokens, revocations)
  }

  private func hasBetterTokens(than stored: StoredSession) -> Bool {
    guard revocations == stored.revocations else { return revocations > stored.revocations }
    return tokens.came(after: stored.tokens)
  }

  /// Takes tokens that another process has bought: what failed before says nothing of them.
  private func adoptTokens(of stored: StoredSession) {
    if tokens != stored.tokens {
      refreshes.failures = 0
      refreshes.pause = nil
    }
    tokens = stored.tokens
    revocations = stored.revocations
  }
}

extension UserProfile {
  /// This profile with what another one has changed since a third.
  fileprivate func merged(with other: UserProfile, since base: UserProfile) -> UserProfile {
    var merged = other
    if other.displayName == base.displayName { merged.displayName = displayName }
    if other.photoURL == base.photoURL { merged.photoURL = photoURL }
    if other.lastSignInTime == base.lastSignInTime { merged.lastSignInTime = lastSignInTime }
    // The ways to sign in belong together.
    if (other.email, other.phoneNumber, other.isEmailVerified, other.providers)
      == (base.email, base.phoneNumber, base.isEmailVerified, base.providers)
    {
      merged.email = email
      merged.phoneNumber = phoneNumber
      merged.isEmailVerified = isEmailVerified
      merged.providers = providers
    }
    return merged
  }
}

extension SessionTokens {
  /// Whether these tokens came after others, which may have come to another process of this machine.
  func came(after others: SessionTokens) -> Bool {
    guard received.bootID == others.received.bootID else { return received.wall > others.received.wall }
    return received.boot > others.received.boot
  }
}
