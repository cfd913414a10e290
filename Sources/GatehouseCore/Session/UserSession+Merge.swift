import GatehouseBase
import GatehouseQueues

// Two `Auth`s may change one stored session. Each writes only over the version that it knows. If another `Auth` has
// written since, this one merges three versions: the known one, the stored one, and its own.
//
//     part                  the merge keeps
//     profile               each field that changed here only; the stored value of all other fields
//     mark of a change      the stored one if it has changed, else the own one
//     tokens                the stored ones if the own ones have not changed; else those with more revocations, because
//                           they revoked the others; at equal counts, the later ones
//
// A stored version older than the known one is a restored copy. The merge takes its tokens if they are better, and
// nothing else.
extension UserSession {
  /// Merges what the store holds into this session.
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

  /// Takes another process's tokens, and forgets earlier failures: those were about the old tokens.
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
    // These fields describe the ways to sign in, and change together.
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
