import GatehouseBase

extension Route {
  /// The routes about the project itself.
  static let ofProject: [Route] =
    paths("identitytoolkit.googleapis.com/v1/projects", legacy: "getProjectConfig").map { path in
      Route(method: "GET", path: RoutePath(path), access: .key) { routed in
        ServerResponse(json: [
          "projectId": .string(routed.scene.provider.audience),
          "authorizedDomains": .array(routed.scene.provider.authorizedDomains.map(JSONValue.string)),
        ])
      }
    }
    // No captcha is required: a client that requests one gets keys for none.
    + paths("identitytoolkit.googleapis.com/v1/recaptchaParams", legacy: "getRecaptchaParam").map { path in
      Route(method: "GET", path: RoutePath(path), access: .key) { _ in
        ServerResponse(json: [
          "kind": "identitytoolkit#GetRecaptchaParamResponse", "recaptchaStoken": "none", "recaptchaSiteKey": "none",
        ])
      }
    }
    + ["/identitytoolkit.googleapis.com/v2/recaptchaConfig", "/v2/recaptchaConfig"].map { path in
      Route(method: "GET", path: RoutePath(path), access: .key) { routed in
        ServerResponse(json: [
          "recaptchaKey": .string("projects/\(routed.scene.provider.audience)/keys/none"),
          "recaptchaEnforcementState": .array(
            ["EMAIL_PASSWORD_PROVIDER", "PHONE_PROVIDER"].map { ["provider": .string($0), "enforcementState": "OFF"] }),
        ])
      }
    }

  private static func paths(_ endpoint: String, legacy: String) -> [String] {
    let plain = endpoint.drop { $0 != "/" }
    let old = "identitytoolkit/v3/relyingparty/\(legacy)"
    return ["/\(endpoint)", String(plain), "/www.googleapis.com/\(old)", "/\(old)"]
  }
}
