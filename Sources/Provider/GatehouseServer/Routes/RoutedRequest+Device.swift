import GatehouseBase
import GatehouseHTTP
import GatehouseLocal

// A client that keeps the cookie of its device sends it in a header field with every call, or any other word if it has
// none. The answer to a sign-in has a new cookie in the same field, unless the account knows the device. It is no cookie
// of HTTP: a browser would send one for every page.
extension RoutedRequest {
  /// The cookie that the client sent; `nil` if it keeps none.
  var device: Secret? {
    request.value(of: .device).flatMap(DeviceField.cookie)
  }

  /// Adds a new cookie for the client's device to the answer to a sign-in. Without one, the client is still known by
  /// its network.
  func addDevice(to answer: inout ServerResponse) async {
    guard let device, let idToken = try? JSONObject(reading: answer.body)["idToken"]?.string,
      let made = try? await scene.provider.deviceCookie(
        forIDToken: idToken, unlessKnown: device, from: caller)
    else { return }
    answer.headers.add(DeviceField.name, made.revealed)
  }
}
