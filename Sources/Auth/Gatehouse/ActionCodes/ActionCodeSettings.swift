public import Foundation
import GatehouseQueues
import IdentityToolkit

/// The settings of a message's link. Set the properties, then pass the object to the call that sends the message. Later
/// changes do not affect that message. Usable from any thread.
public final class ActionCodeSettings: Sendable {
  private struct Values: Sendable {
    var url: URL?
    var handleCodeInApp = false
    var iOSBundleID: String?
    var androidPackageName: String?
    var androidMinimumVersion: String?
    var androidInstallIfNotAvailable = false
    var linkDomain: String?
  }

  private let values = Lock(Values())

  /// Makes settings with nothing set.
  public init() {}

  /// The page that the user reaches in the end. The project must allow its domain.
  public var url: URL? {
    get { values.withLock { $0.url } }
    set { values.withLock { $0.url = newValue } }
  }

  /// Whether the link opens in an app instead of on a web page of the project. A sign-in link must open in an app.
  public var handleCodeInApp: Bool {
    get { values.withLock { $0.handleCodeInApp } }
    set { values.withLock { $0.handleCodeInApp = newValue } }
  }

  /// The iOS app that opens the link. Gatehouse itself does not read it; set it for the recipient's device.
  public var iOSBundleID: String? {
    get { values.withLock { $0.iOSBundleID } }
    set { values.withLock { $0.iOSBundleID = newValue } }
  }

  /// The domain of the link, if the project has several.
  public var linkDomain: String? {
    get { values.withLock { $0.linkDomain } }
    set { values.withLock { $0.linkDomain = newValue } }
  }

  /// The Android app that opens the link.
  public var androidPackageName: String? { values.withLock { $0.androidPackageName } }
  /// The oldest version of the Android app that can open the link.
  public var androidMinimumVersion: String? { values.withLock { $0.androidMinimumVersion } }
  /// Whether to install the Android app if it is missing.
  public var androidInstallIfNotAvailable: Bool { values.withLock { $0.androidInstallIfNotAvailable } }

  /// Sets the Android app that opens the link.
  public func setAndroidPackageName(
    _ androidPackageName: String, installIfNotAvailable: Bool, minimumVersion: String?
  ) {
    values.withLock { values in
      values.androidPackageName = androidPackageName
      values.androidInstallIfNotAvailable = installIfNotAvailable
      values.androidMinimumVersion = minimumVersion
    }
  }

  /// Returns the call that sends a message with these settings.
  func call(_ type: ActionCodeType) -> SendOobCode {
    let values = values.withLock { $0 }
    var call = SendOobCode(type)
    call.continueUrl = values.url?.absoluteString
    call.canHandleCodeInApp = values.handleCodeInApp
    call.iOSBundleId = values.iOSBundleID
    call.linkDomain = values.linkDomain
    call.androidPackageName = values.androidPackageName
    call.androidMinimumVersion = values.androidMinimumVersion
    call.androidInstallApp = values.androidPackageName == nil ? nil : values.androidInstallIfNotAvailable
    return call
  }
}

extension SendOobCode {
  /// Makes the call for a message to an address, or about an account.
  init(_ type: ActionCodeType, to email: String? = nil, _ settings: ActionCodeSettings?) {
    self = settings?.call(type) ?? SendOobCode(type)
    self.email = email
  }
}
