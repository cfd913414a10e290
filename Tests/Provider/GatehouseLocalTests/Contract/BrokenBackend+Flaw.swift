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
    case takesInventedCodes, takesInventedProofs, takesWeakPasswords, registersStrangers, tellsWhoIsRegistered
    case resetsTwice, keepsSessionsAtReset, verifiesNothing, verifiesEarly, changesNoAddress, keepsSessionsAtChange
    case takesAnyAddressOfALink, signsInByLinkTwice, tellsWhoGetsMail
    case listsNoSessions, endsNoSession, endsEverySession, endsOthersSessions, keepsEverySession
    case asksForNoFactor, takesAnyCode, takesCodesTwice, hidesFactors, keepsSessionsAtEnrollment, enrollsByAnyCode
    case withdrawsNothing, takesRecoveryCodesTwice, takesAnyTextForAFactor
    case refusesOwnAddresses, takesBackForNobody
    case makesAnAccountForEachText, takesTextsTwice, takesAnyText, sharesNumbers
    case ignoresTenants, hidesTenants, inventsTenants
    case makesAnAccountForEachIdentity, sharesIdentities, unlinksNothing, misnamesCustomUsers

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
      case .takesInventedCodes: "an invented code of a message is refused"
      case .takesInventedProofs: "an invented proof of who signs in is refused"
      case .takesWeakPasswords: "a password that breaks the rules in force is refused"
      case .registersStrangers, .tellsWhoIsRegistered:
        "an address's ways to sign in are told truly, and no more openly than by a sign-in"
      case .resetsTwice, .keepsSessionsAtReset: "a message resets a password once, and ends the sessions before it"
      case .verifiesNothing, .verifiesEarly: "a message verifies an address, once its code is used"
      case .changesNoAddress, .keepsSessionsAtChange: "a message changes an address, once its code is used"
      case .takesAnyAddressOfALink, .signsInByLinkTwice: "a link signs in whom it was sent to, and once"
      case .tellsWhoGetsMail: "a message to an unknown address is refused only where sign-ins tell it too"
      case .listsNoSessions, .endsNoSession, .endsEverySession:
        "a user's sessions are listed, and one is ended alone"
      case .endsOthersSessions, .keepsEverySession:
        "all sessions of a user are ended at once, and no other user's"
      case .asksForNoFactor, .takesAnyCode, .takesCodesTwice:
        "a sign-in to an account with an app waits for a code, which is good once"
      case .hidesFactors, .keepsSessionsAtEnrollment:
        "an app that is enrolled is listed, and ends the sessions before it"
      case .enrollsByAnyCode: "an app is enrolled by its own code only"
      case .withdrawsNothing: "an app that was taken away is not asked for"
      case .takesRecoveryCodesTwice: "a recovery code stands for a factor once"
      case .takesAnyTextForAFactor: "a phone that is a factor gets a code for a sign-in, which is good once"
      case .refusesOwnAddresses: "an account gets a password for the address that it has already"
      case .takesBackForNobody: "a token of an identity provider is taken back for nobody who is not signed in"
      case .makesAnAccountForEachText, .takesTextsTwice: "a text signs in to the account of its number, once"
      case .takesAnyText: "a wrong code of a text is refused"
      case .sharesNumbers: "a number is one account's"
      case .ignoresTenants: "a tenant's accounts are apart from the project's"
      case .hidesTenants: "a tenant's account and its tokens say the tenant, also after a refresh"
      case .inventsTenants: "a tenant that is not there is refused"
      case .makesAnAccountForEachIdentity: "an identity signs in to its account, which its first sign-in makes"
      case .sharesIdentities, .unlinksNothing: "an identity is one account's, until it is unlinked"
      case .misnamesCustomUsers: "a custom token signs in to the account that it names, and makes it once"
      }
    }
  }
}
