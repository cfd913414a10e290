import Foundation
import GatehouseFirebase

private func enroll(_ user: User) {
  user.multiFactor.getSessionWithCompletion { session, error in
    guard let session else { return print(error as Any) }
    TOTPMultiFactorGenerator.generateSecret(with: session) { secret, error in
      guard let secret else { return print(error as Any) }
      let otpAuthUri = secret.generateQRCodeURL(withAccountName: user.email ?? "default account", issuer: "Your App")
      print(otpAuthUri.hasPrefix("otpauth://totp/"))
      let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(
        with: secret, oneTimePassword: Project.oneTimePassword(secret.sharedSecretKey()))
      user.multiFactor.enroll(with: assertion, displayName: "TOTP") { error in
        print("enrolled:", error as Any)
        Phone.secret = secret.sharedSecretKey()
      }
    }
  }
}

@MainActor
private func signIn(_ email: String, _ password: String) async {
  do {
    _ = try await Auth.auth().signIn(withEmail: email, password: password)
  } catch let error as NSError where error.code == AuthErrorCode.secondFactorRequired.rawValue {
    guard let resolver = error.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver else { return }
    let factor = resolver.hints.first { $0.factorID == TOTPMultiFactorID }!
    print(factor.displayName ?? "", factor is PhoneMultiFactorInfo)
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: factor.uid, oneTimePassword: Project.oneTimePassword(Phone.secret, later: 1))
    do {
      let result = try await resolver.resolveSignIn(with: assertion)
      print("signed in:", result.user.email!)
    } catch {
      print(error)
    }
  } catch {
    print(error)
  }
}

let authenticatorApp = FirebaseProgram(
  "an authenticator app", prints: "true", "enrolled: nil", "TOTP false", "signed in: totp@example.com"
) {
  try await Project.makeUser("totp@example.com")
  enroll(try await Auth.auth().signIn(withEmail: "totp@example.com", password: "correct horse").user)
  while Transcript.shared.lines.count < 2 || Phone.secret.isEmpty { await Task.yield() }
  try Auth.auth().signOut()
  await signIn("totp@example.com", "correct horse")
}
