import Foundation
import GatehouseFirebase
import Glibc

/// Runs every program, one after another, in a folder that it is told: `FirebasePrograms HOME`.
@main
struct Main {
  @MainActor
  static func main() async {
    setlinebuf(stdout)
    alarm(60)  // a program that hangs must not hang its caller
    FirebaseApp.configure(options: Project.options(home: CommandLine.arguments[1]))
    var failures = 0
    for program in all {
      try? await Auth.auth().ready()
      try? Auth.auth().signOut()
      let fault = await program.run()
      Swift.print(fault == nil ? "ok: \(program.name)" : "FAILED: \(program.name): \(fault ?? "")")
      if fault != nil { failures += 1 }
    }
    exit(failures == 0 ? 0 : 1)
  }

  static let all: [FirebaseProgram] = [
    startOfAnApp, signUpForm, signInForm, signOutButton, errorsByNumber, errorsByCode, callsWithoutCompletion,
    profilePage, providerList, profileChange, changeOfAddress, changeOfPassword, deletionOfAnAccount, linking,
    verificationMessage, passwordReset, actionCodes, emailLink, signInMethods,
    phoneSignIn, guestUpgrade, customToken, googleSignIn,
    customClaims, tokenForABackend, tokenResult, tokenListener,
    smsFactor, authenticatorApp,
    viewModel, sessionStore, continuations, notification, secondaryApp, userSequence, severalUsers,
  ]
}
