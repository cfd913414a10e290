import GatehouseBase
import GatehouseQueues

// Two `Auth`s may change one stored session. Each only overwrites the version that it knows. If another `Auth` has
// written since, this one merges three versions: the known one, the stored one, and its own.
//
//     part                  the merge keeps
//     profile               the one that has changed; if both have, the one requested later. If the clocks cannot tell
//                           which that is, the provider is asked again
//     mark of a change      the stored one if it has changed, otherwise the own one
//     rotation              the same; that of adopted tokens with these
//     tokens                the ones that have changed; if both have, those with more revocations, because they
//                           revoked the others; at equal counts, the later ones
//
// A stored version older than the known one is a restored copy. The merge takes its tokens if they are better, and
// nothing else.
extension UserSession {
  /// Merges the stored session into this one.
  ///
  /// - Returns: Whether the merge changed anything here, and whether the profile must be fetched again.
  func merge(_ stored: StoredSession) -> (hasChanged: Bool, mustAsk: Bool) {
    let (base, isOwn) = (known, hasWritten(stored))
    known = stored
    if isOwn { return (false, false) }
    let before = (profile, pendingRevocation, tokens, revocations)
    let isLater = stored.generation >= base.generation
    let newer = isLater ? newerProfile(own: (profile, profileAsked), stored, since: base) : .own
    if newer == .stored || newer == .unknown && profile == base.profile {
      profile = stored.profile
      profileAsked = stored.profileAsked
    }
    let mustAsk = newer == .unknown && profile != stored.profile
    if stored.pendingRevocation != base.pendingRevocation { pendingRevocation = stored.pendingRevocation }
    if stored.rotation != base.rotation { rotation = stored.rotation }
    dropWithdrawnMark()
    let hasNone = tokens == base.tokens && revocations == base.revocations
    let storedHasNone = stored.tokens == base.tokens && stored.revocations == base.revocations
    if isLater && hasNone || !storedHasNone && !hasBetterTokens(than: stored) { adoptTokens(of: stored) }
    return (before != (profile, pendingRevocation, tokens, revocations), mustAsk)
  }

  private enum NewerProfile { case own, stored, unknown }

  private func newerProfile(
    own: (UserProfile, ClockReading?), _ stored: StoredSession, since base: StoredSession
  ) -> NewerProfile {
    let known = (base.profile, base.profileAsked)
    if (stored.profile, stored.profileAsked) == known { return .own }
    guard own != known, let asked = own.1 else { return .stored }
    guard let others = stored.profileAsked else { return .own }
    return asked.isCertainlyAfter(others) ? .own : others.isCertainlyAfter(asked) ? .stored : .unknown
  }

  private func hasBetterTokens(than stored: StoredSession) -> Bool {
    guard revocations == stored.revocations else { return revocations > stored.revocations }
    return tokens.received.isAfter(stored.tokens.received)
  }

  /// Adopts another process's tokens, and forgets earlier failures, which were about the old tokens.
  private func adoptTokens(of stored: StoredSession) {
    if tokens != stored.tokens {
      refreshes.failures = 0
      refreshes.pause = nil
      rotation = stored.rotation
    }
    tokens = stored.tokens
    revocations = stored.revocations
  }
}
