import Foundation
import GatehouseFirebase

private func requestCode(_ phoneNumber: String, store: UserDefaults) {
  PhoneAuthProvider.provider().verifyPhoneNumber(phoneNumber, uiDelegate: nil) { verificationID, error in
    if let error = error {
      print(error.localizedDescription)
      return
    }
    store.set(verificationID, forKey: "authVerificationID")
    print("code sent")
  }
}

private func enterCode(_ code: String, store: UserDefaults) {
  let verificationID = store.string(forKey: "authVerificationID")
  let credential = PhoneAuthProvider.provider().credential(
    withVerificationID: verificationID ?? "", verificationCode: code)
  Auth.auth().signIn(with: credential) { authResult, error in
    print(authResult?.user.phoneNumber ?? "no user", error as Any)
  }
}

let phoneSignIn = FirebaseProgram("a sign-in by phone", prints: "code sent", "+12025550101 nil") {
  requestCode("+12025550101", store: .standard)
  let code = await Mailbox.shared.code(toPhone: "+12025550101")
  while Transcript.shared.lines.isEmpty { await Task.yield() }
  enterCode(code, store: .standard)
}

private func continueAsGuest() {
  Auth.auth().signInAnonymously { authResult, error in
    guard let user = authResult?.user else { return }
    let isAnonymous = user.isAnonymous
    let uid = user.uid
    print("guest:", isAnonymous)
    let credential = EmailAuthProvider.credential(withEmail: "upgrade@example.com", password: "correct horse")
    user.link(with: credential) { authResult, error in
      print("same user:", authResult?.user.uid == uid, authResult?.user.isAnonymous ?? true)
    }
  }
}

let guestUpgrade = FirebaseProgram("a guest becomes a user", prints: "guest: true", "same user: true false") {
  continueAsGuest()
}

private func signIn(_ customToken: String) {
  Auth.auth().signIn(withCustomToken: customToken) { user, error in
    if let error { print((error as NSError).code == AuthErrorCode.invalidCustomToken.rawValue) }
    if let user { print("user:", user.user.uid) }
  }
}

let customToken = FirebaseProgram("a custom token", prints: "user: some-uid", "true") {
  signIn(try await Project.customToken(for: "some-uid"))
  while Transcript.shared.lines.isEmpty { await Task.yield() }
  signIn("no token")
}

private func signedInWithGoogle(idToken: String, accessToken: String) {
  let credential = GoogleAuthProvider.credential(withIDToken: idToken, accessToken: accessToken)
  Auth.auth().signIn(with: credential) { result, error in
    guard let result else { return print(error as Any) }
    print(result.user.email ?? "", result.additionalUserInfo?.providerID == GoogleAuthProviderID)
    let profile = result.additionalUserInfo?.profile
    print(profile?["email"] as? String ?? "", profile?["email_verified"] as? Bool ?? false)
    if let credential = result.credential { print(credential.provider) }
  }
}

let googleSignIn = FirebaseProgram(
  "a sign-in with Google", prints: "ada@gmail.com true", "ada@gmail.com true", "google.com"
) {
  let token = #"{"sub":"1234","email":"ada@gmail.com","email_verified":true}"#
  signedInWithGoogle(idToken: token, accessToken: "access")
}
