/// The members of firebase-ios-sdk 12.19.0, without the labels of their completions.
///
/// Source: the public declarations of its FirebaseAuth module, and of `FirebaseApp` and `FirebaseOptions`.
enum FirebaseInventory {
  /// A type and its members; constants under an empty name.
  static let members: [String: String] = [
    "FirebaseApp": """
    configure() configure(options:) configure(name:options:) app() app(name:) allApps name options delete(_:)
    """,
    "FirebaseOptions": """
    init(googleAppID:gcmSenderID:) init(contentsOfFile:) defaultOptions() apiKey bundleID clientID gcmSenderID projectID
    googleAppID databaseURL storageBucket appGroupID
    """,
    "Auth": """
    auth() auth(app:) app currentUser languageCode settings tenantID customAuthDomain userAccessGroup
    shareAuthStateAcrossDevices signIn(withEmail:password:) signIn(withEmail:link:) signIn(with:) signInAnonymously()
    signIn(withCustomToken:) createUser(withEmail:password:) signIn(with:uiDelegate:) fetchSignInMethods(forEmail:)
    sendPasswordReset(withEmail:actionCodeSettings:) confirmPasswordReset(withCode:newPassword:)
    verifyPasswordResetCode(_:) checkActionCode(_:) applyActionCode(_:) sendSignInLink(toEmail:actionCodeSettings:)
    isSignIn(withEmailLink:) revokeToken(withAuthorizationCode:) updateCurrentUser(_:) signOut() useAppLanguage()
    addStateDidChangeListener(_:) removeStateDidChangeListener(_:) addIDTokenDidChangeListener(_:)
    removeIDTokenDidChangeListener(_:) authStateChanges idTokenChanges authStateDidChangeNotification
    useEmulator(withHost:port:) useUserAccessGroup(_:) getStoredUser(forAccessGroup:) apnsToken setAPNSToken(_:type:)
    canHandleNotification(_:) canHandle(_:) initializeRecaptchaConfig()
    """,
    "User": """
    uid providerID email displayName photoURL phoneNumber isAnonymous isEmailVerified providerData metadata tenantID
    refreshToken multiFactor reload() reauthenticate(with:) link(with:) unlink(fromProvider:) getIDToken()
    getIDToken(forcingRefresh:) getIDTokenResult(forcingRefresh:) idTokenForcingRefresh(_:) getIDTokenForcingRefresh(_:)
    updateEmail(to:) updatePassword(to:) updatePhoneNumber(_:) sendEmailVerification(with:)
    sendEmailVerification(beforeUpdatingEmail:actionCodeSettings:) delete() createProfileChangeRequest()
    link(with:uiDelegate:) reauthenticate(with:uiDelegate:)
    """,
    "UserInfo": "", "UserProfileChangeRequest": "", "UserMetadata": "",
    "AuthDataResult": "user additionalUserInfo credential",
    "AdditionalUserInfo": "providerID profile username isNewUser",
    "AuthTokenResult": "", "AuthCredential": "provider", "OAuthCredential": "idToken accessToken secret",
    "PhoneAuthCredential": "", "AuthProviderID": "", "EmailAuthProvider": "", "GoogleAuthProvider": "",
    "FacebookAuthProvider": "", "GitHubAuthProvider": "", "TwitterAuthProvider": "", "GameCenterAuthProvider": "",
    "OAuthProvider": """
    credential(…) appleCredential(withIDToken:rawNonce:fullName:) provider(providerID:) scopes customParameters
    credential(with:)
    """,
    "PhoneAuthProvider": """
    provider(auth:) verifyPhoneNumber(_:uiDelegate:) credential(withVerificationID:verificationCode:)
    verifyPhoneNumber(_:uiDelegate:multiFactorSession:) verifyPhoneNumber(with:uiDelegate:multiFactorSession:)
    """,
    "MultiFactor": """
    enrolledFactors session() getSessionWithCompletion(_:) enroll(with:displayName:) unenroll(with:)
    unenroll(withFactorUID:)
    """,
    "MultiFactorSession": "", "MultiFactorResolver": "session hints auth resolveSignIn(with:)",
    "MultiFactorInfo": "uid displayName enrollmentDate factorID", "PhoneMultiFactorInfo": "phoneNumber",
    "TOTPMultiFactorInfo": "", "MultiFactorAssertion": "", "PhoneMultiFactorGenerator": "assertion(with:)",
    "TOTPMultiFactorGenerator": """
    generateSecret(with:) assertionForEnrollment(with:oneTimePassword:)
    assertionForSignIn(withEnrollmentID:oneTimePassword:)
    """,
    "TOTPSecret": "sharedSecretKey() generateQRCodeURL(withAccountName:issuer:) openInOTPApp(withQRCodeURL:)",
    "ActionCodeSettings": """
    url handleCodeInApp iOSBundleID setIOSBundleID(_:) androidPackageName androidMinimumVersion
    androidInstallIfNotAvailable setAndroidPackageName(_:installIfNotAvailable:minimumVersion:) linkDomain
    """,
    "ActionCodeInfo": "operation email previousEmail",
    "ActionCodeURL": "init(link:) apiKey operation code continueURL languageCode", "ActionCodeOperation": "",
    "AuthSettings": "", "AuthUIDelegate": "", "AuthAPNSTokenType": "", "AuthErrorCode": "",
    "AuthErrors": """
    domain userInfoNameKey userInfoEmailKey userInfoUpdatedCredentialKey userInfoMultiFactorResolverKey
    """,
    "NSNotification.Name": "AuthStateDidChange",
    "": """
    AuthErrorDomain AuthErrorUserInfoNameKey AuthErrorUserInfoEmailKey AuthErrorUserInfoUpdatedCredentialKey
    AuthErrorUserInfoMultiFactorResolverKey EmailAuthProviderID GoogleAuthProviderID FacebookAuthProviderID
    GitHubAuthProviderID TwitterAuthProviderID PhoneAuthProviderID EmailPasswordAuthSignInMethod
    EmailLinkAuthSignInMethod GoogleAuthSignInMethod FacebookAuthSignInMethod GitHubAuthSignInMethod
    TwitterAuthSignInMethod PhoneAuthSignInMethod PhoneMultiFactorID TOTPMultiFactorID
    """,
  ]

  /// `Auth`, `Auth.auth()`, …
  static let names: [String] = members.flatMap { type, members in
    let members = members.split(whereSeparator: \.isWhitespace).map(String.init)
    return type.isEmpty ? members : [type] + members.map { "\(type).\($0)" }
  }

  /// The members that the first column of the page names, with the types that they belong to.
  ///
  /// A row names a type and then members of it: `User` (`uid`, `email`), or `OAuthProvider.scopes`, `customParameters`.
  static func named(in page: String) -> Set<String> {
    var named: Set<String> = []
    for row in page.split(separator: "\n") where row.hasPrefix("| `") {
      guard let cell = row.split(separator: "|", omittingEmptySubsequences: false).dropFirst().first else { continue }
      var type = ""
      for name in cell.matches(of: /`([^`]+)`/).map({ String($0.1) }) {
        let dot = name.prefix { $0 != "(" }.lastIndex(of: ".")
        if let dot {
          type = String(name[..<dot])
          named.formUnion([type, name])
        } else if name.first?.isUppercase == true {
          type = name
          named.insert(name)
        } else {
          named.insert("\(type).\(name)")
        }
      }
    }
    return named
  }
}
