import GatehouseBase
import GatehouseQueues

// Two `Auth`s may change one stored session. Each writes only over the version that it knows. If another `Auth` has
// written since, this one merges three versions: the known one, the stored one, and its own.
//
//     part                  the merge keeps
//     profile               the stored one if the own one has not changed; else the one that was asked for later
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
    if isLater, !hasNewerProfile(than: stored, since: base) {
      profile = stored.profile
      profileAsked = stored.profileAsked
    }
    if stored.pendingRevocation != base.pendingRevocation { pendingRevocation = stored.pendingRevocation }
    dropWithdrawnMark()
    let hasNone = tokens == base.tokens && revocations == base.revocations
    if isLater && hasNone || !hasBetterTokens(than: stored) { adoptTokens(of: stored) }
    return before != (profile, pendingRevocation, tokens, revocations)
  }

  private func hasNewerProfile(than stored: StoredSession, since base: StoredSession) -> Bool {
    guard profileAsked != base.profileAsked, let profileAsked else { return false }
    guard stored.profileAsked != base.profileAsked, let others = stored.profileAsked else { return true }
    if profileAsked.isAfter(others) { return true }
    return !others.isAfter(profileAsked) && profile != base.profile  // at once, as far as the clocks tell
  }

  private func hasBetterTokens(than stored: StoredSession) -> Bool {
    guard revocations == stored.revocations else { return revocations > stored.revocations }
    return tokens.received.isAfter(stored.tokens.received)
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
