extension BrokenBackend {
  /// One way to break the contract.
  enum Flaw: String, CaseIterable, Sendable {
    case forgetsAddresses, answersNobody, namesAnotherLifetime, givesOpaqueTokens, takesAddressesTwice
    case sharesAnAnonymousAccount, linksToANewAccount
    case signsInToTheLatest, takesAnyPassword, refusesPasswordsVaguely, signsUpWhoSignsIn, tellsWhoIsThere
    case endsOtherSessions
    case refreshesAnother, refreshesOnce, wantsTokensAgain, takesNonsenseForExpiry, deletesForAnybody
    case normalizesText, changesEverybody, ignoresRemovals, emptiesWhatIsNotNamed
    case keepsSessions, keepsThePassword, givesNoNewTokens, deletesNothing, keepsIdentifiers
    case mixesAnswers, signsInWhoSignsUpAgain, inventsWhenCancelled, answersAnything, tellsSecrets
    case believesClaims, ignoresSignatures, disablesNobody, hidesDisabling, revokesNothing

    /// The check that is there for it.
    var check: String {
      switch self {
      case .forgetsAddresses, .answersNobody: "a sign-up makes an account, and its tokens speak for it"
      case .namesAnotherLifetime, .givesOpaqueTokens:
        "an ID token is a JWT that says whose it is and how long it lives"
      case .takesAddressesTwice: "an address has one account"
      case .sharesAnAnonymousAccount, .linksToANewAccount:
        "an anonymous account is a new one, and keeps its identifier when it gets an address"
      case .signsInToTheLatest: "who signs in is who signed up"
      case .takesAnyPassword, .refusesPasswordsVaguely:
        "a wrong password is refused, and the right one is good after it"
      case .signsUpWhoSignsIn: "an unknown address is refused"
      case .tellsWhoIsThere: "an unknown address and a wrong password are told apart, or not at all"
      case .endsOtherSessions: "the sessions of one account do not end each other"
      case .refreshesAnother, .refreshesOnce: "a refresh keeps its user, and what it brings can be refreshed"
      case .wantsTokensAgain: "an invented refresh token is refused, and ends the session"
      case .takesNonsenseForExpiry, .deletesForAnybody: "an invented ID token is refused"
      case .normalizesText, .changesEverybody: "a change comes back as it was made, and is of one account only"
      case .ignoresRemovals, .emptiesWhatIsNotNamed:
        "what is not named in a change stays, and what is emptied is gone"
      case .keepsSessions, .keepsThePassword, .givesNoNewTokens:
        "a new password replaces the old one, and ends the sessions before it"
      case .deletesNothing: "a deleted account is gone, and its sessions with it"
      case .keepsIdentifiers: "the address of a deleted account is free, for another account"
      case .mixesAnswers: "many calls at once get each its own answer"
      case .signsInWhoSignsUpAgain: "of many sign-ups for one address exactly one is made"
      case .inventsWhenCancelled: "a call that is cancelled happened, or did not"
      case .answersAnything: "a call that it does not know is refused"
      case .tellsSecrets: "no refusal tells a password or a token"
      case .believesClaims: "an ID token with another's claims is refused"
      case .ignoresSignatures: "an ID token with another signature, or none, is refused"
      case .disablesNobody, .hidesDisabling: "a disabled account is refused until it is enabled"
      case .revokesNothing: "revoking ends the sessions of one account, and leaves its password"
      }
    }
  }
}
