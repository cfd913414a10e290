import GatehouseJOSE

extension Providers {
  // MARK: Microsoft

  static let microsoft: [ProviderShape] = [
    ProviderShape(
      name: "Entra, version 2: ID token", header: #"{"typ":"JWT","alg":"RS256","kid":"1LTMzakihiRla_8z2BEJVXeWMqo"}"#,
      claims: """
        {"ver":"2.0","iss":"https://login.microsoftonline.com/t-1/v2.0","sub":"AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",\
        "aud":"6cb04018","exp":1700003500,"iat":1699999900,"nbf":1699999900,"name":"Ada","oid":"o-1","tid":"t-1",\
        "preferred_username":"ada@example.com","nonce":"123523","aio":"Df2U","rh":"0.A","uti":"u"}
        """,
      key: entraKey("https://login.microsoftonline.com/{tenantid}/v2.0"),
      policy: ProviderShape.policy("https://login.microsoftonline.com/t-1/v2.0", for: "6cb04018")),
    ProviderShape(
      name: "Entra, version 2, of every tenant", header: #"{"typ":"JWT","alg":"RS256","kid":"1LTM"}"#,
      claims: """
        {"iss":"https://login.microsoftonline.com/t-1/v2.0","sub":"A","aud":"6cb04018","exp":1700003500,"iat":1699999900,\
        "nbf":1699999900,"tid":"t-1","ver":"2.0"}
        """,
      key: entraKey("https://login.microsoftonline.com/{tenantid}/v2.0"), policy: entraTenants),
    ProviderShape(
      name: "Entra, version 2, of one tenant by another tenant's key",
      header: #"{"typ":"JWT","alg":"RS256","kid":"1LTM"}"#,
      claims: """
        {"iss":"https://login.microsoftonline.com/t-1/v2.0","sub":"A","aud":"6cb04018","exp":1700003500,"iat":1699999900,\
        "tid":"t-1","ver":"2.0"}
        """,
      key: entraKey("https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"),
      policy: entraTenants, refusal: (.issuerMismatch, "the token's key names another issuer")),
    ProviderShape(
      name: "Entra, version 1: access token", header: #"{"typ":"JWT","alg":"RS256","x5t":"1LTM","kid":"1LTM"}"#,
      claims: entraVersion1, key: entraKey("https://sts.windows.net/{tenantid}/"),
      policy: ProviderShape.policy("https://sts.windows.net/t-1/", for: "api://shop")),
    ProviderShape(
      name: "Entra, version 1, with the key set of version 2",
      header: #"{"typ":"JWT","alg":"RS256","x5t":"1LTM","kid":"1LTM"}"#, claims: entraVersion1,
      key: entraKey("https://login.microsoftonline.com/{tenantid}/v2.0"),
      policy: ProviderShape.policy("https://sts.windows.net/t-1/", for: "api://shop"),
      refusal: (.issuerMismatch, "the token's key names another issuer")),
    ProviderShape(
      name: "Entra, version 1, under the policy for version 2",
      header: #"{"typ":"JWT","alg":"RS256","x5t":"1LTM","kid":"1LTM"}"#, claims: entraVersion1,
      policy: ProviderShape.policy("https://login.microsoftonline.com/t-1/v2.0", for: "api://shop"),
      refusal: (.issuerMismatch, "`iss` is not https://login.microsoftonline.com/t-1/v2.0")),
    ProviderShape(
      name: "Microsoft Graph: access token, whose header is signed with the hash of its nonce",
      header: #"{"typ":"JWT","nonce":"AQAB","alg":"RS256","x5t":"1LTM","kid":"1LTM"}"#,
      claims: """
        {"aud":"00000003-0000-0000-c000-000000000000","iss":"https://sts.windows.net/t-1/","iat":1699999900,\
        "nbf":1699999900,"exp":1700003500,"app_displayname":"shop","tid":"t-1","ver":"1.0"}
        """,
      signedNonce: "3XTmAxFoM_sNoVqsw4RwTQdnAJSUAC3SKRcrg9PzlZU",
      policy: ProviderShape.policy("https://sts.windows.net/t-1/", for: "00000003-0000-0000-c000-000000000000"),
      refusal: (.signatureInvalid, "signature verification failed")),
    ProviderShape(
      name: "Azure AD B2C", header: #"{"alg":"RS256","kid":"X5eXk4xyojNFum1kl2Ytv8dlNP4-c57dO6QGTVBwaNk","typ":"JWT"}"#,
      claims: """
        {"ver":"1.0","iss":"https://shop.b2clogin.com/t-1/v2.0/","sub":"884408e1","aud":"c1","exp":1700003500,"acr":"b2c_1_in",\
        "nonce":"n","iat":1699999900,"auth_time":1699999900,"emails":["ada@example.com"],"tfp":"B2C_1_in",\
        "nbf":1699999900}
        """,
      key: #"{"use":"sig","nbf":1493763266}"#,
      policy: ProviderShape.policy("https://shop.b2clogin.com/t-1/v2.0/", for: "c1")),
    ProviderShape(
      name: "AD FS", header: #"{"typ":"JWT","alg":"RS256","x5t":"dyA0","kid":"dyA0"}"#, claims: activeDirectory,
      key: #"{"use":"sig","alg":"RS256","x5t":"X5T","x5c":["X5C"]}"#,
      policy: ProviderShape.policy("http://adfs.example.com/adfs/services/trust", for: "microsoft:identityserver:c1")),
    ProviderShape(
      name: "AD FS, where the policy checks the time of the sign-in",
      header: #"{"typ":"JWT","alg":"RS256","x5t":"dyA0","kid":"dyA0"}"#, claims: activeDirectory,
      policy: ProviderShape.policy("http://adfs.example.com/adfs/services/trust", for: "microsoft:identityserver:c1") {
        $0.checksAuthenticationTime = true
      },
      refusal: (.claimInvalid, "`auth_time` has the wrong type")),
  ]

  private static func entraKey(_ issuer: String) -> String {
    """
    {"use":"sig","x5t":"X5T","x5c":["X5C"],"cloud_instance_name":"microsoftonline.com","issuer":"\(issuer)"}
    """
  }

  private static let entraTenants = ProviderShape.policy(for: "6cb04018") { policy in
    policy.issuers = TokenScene.made {
      [try .template("https://login.microsoftonline.com/{tenantid}/v2.0", claim: "tid", among: ["t-1", "t-2"])]
    }
  }

  private static let entraVersion1 = """
    {"aud":"api://shop","iss":"https://sts.windows.net/t-1/","iat":1699999900,"nbf":1699999900,"exp":1700003500,\
    "acr":"1","aio":"A","amr":["pwd"],"appid":"c1","appidacr":"1","ipaddr":"192.0.2.1","oid":"o-1","scp":"user_read",\
    "sub":"l3_r","tid":"t-1","unique_name":"ada@example.com","uti":"u","ver":"1.0"}
    """

  private static let activeDirectory = """
    {"aud":"microsoft:identityserver:c1","iss":"http://adfs.example.com/adfs/services/trust","iat":1699999900,\
    "nbf":1699999900,"exp":1700003500,"apptype":"Confidential","appid":"c1","authmethod":"urn:oasis:names:tc:SAML:2.0",\
    "auth_time":"2023-11-14T22:11:40.000Z","ver":"1.0","scp":"openid","sub":"S1"}
    """

  // MARK: Programs and clusters

  static let workloads: [ProviderShape] = [
    ProviderShape(
      name: "GitHub Actions", header: #"{"typ":"JWT","alg":"RS256","x5t":"eBZ_","kid":"78167F72"}"#,
      claims: """
        {"jti":"e-1","sub":"repo:octo-org/octo-repo:environment:prod","environment":"prod","aud":"https://shop.example",\
        "ref":"refs/heads/main","sha":"example-sha","repository":"octo-org/octo-repo","repository_id":"74",\
        "run_id":"1234567","run_number":"10","run_attempt":"2","runner_environment":"github-hosted",\
        "ref_protected":"false","iss":"https://token.actions.githubusercontent.com","nbf":1699999300,"exp":1700000200,\
        "iat":1699999900}
        """,
      key: #"{"use":"sig","alg":"RS256","x5c":["X5C"],"x5t":"X5T"}"#,
      policy: ProviderShape.policy("https://token.actions.githubusercontent.com", for: "https://shop.example") {
        $0.requiredClaims = ["exp", "repository_id", "environment"]
      }),
    ProviderShape(
      name: "GitLab", header: #"{"kid":"4i3s","typ":"JWT","alg":"RS256"}"#,
      claims: """
        {"namespace_id":"72","project_id":"20","user_id":"1","pipeline_id":"574","job_id":"302","ref_protected":"true",\
        "runner_id":1,"iss":"https://gitlab.com","iat":1699999900,"nbf":1699999895,"exp":1700003500,"jti":"j",\
        "sub":"project_path:my-group/my-project:ref_type:branch:ref:main","aud":"https://vault.example.com"}
        """,
      policy: ProviderShape.policy("https://gitlab.com", for: "https://vault.example.com")),
    ProviderShape(
      name: "CircleCI", header: #"{"alg":"RS256","kid":"d8a5","typ":"JWT"}"#,
      claims: """
        {"aud":"org-1","exp":1700003500,"iat":1699999900,"iss":"https://oidc.circleci.com/org/org-1",\
        "oidc.circleci.com/project-id":"p-1","oidc.circleci.com/context-ids":["c-1"],"sub":"org/org-1/project/p-1/user/u-1"}
        """,
      policy: ProviderShape.policy("https://oidc.circleci.com/org/org-1", for: "org-1") {
        $0.requiredClaims = ["exp", "oidc.circleci.com/project-id"]
      }),
    ProviderShape(
      name: "Kubernetes", header: #"{"alg":"RS256","kid":"hXfN"}"#,
      claims: """
        {"aud":["https://kubernetes.default.svc.cluster.local"],"exp":1731536000,"iat":1699999900,\
        "iss":"https://kubernetes.default.svc.cluster.local","jti":"j","kubernetes.io":{"namespace":"shop",\
        "node":{"name":"n1","uid":"u"},"pod":{"name":"p1","uid":"u"},"serviceaccount":{"name":"api","uid":"u"},\
        "warnafter":1700003507},"nbf":1699999900,"sub":"system:serviceaccount:shop:api"}
        """,
      policy: ProviderShape.policy(
        "https://kubernetes.default.svc.cluster.local", for: "https://kubernetes.default.svc.cluster.local")),
    ProviderShape(
      name: "Kubernetes: token of a Secret, which has no end", header: #"{"alg":"RS256","kid":"hXfN"}"#,
      claims: """
        {"iss":"kubernetes/serviceaccount","kubernetes.io/serviceaccount/namespace":"shop",\
        "kubernetes.io/serviceaccount/secret.name":"api-token-1","kubernetes.io/serviceaccount/service-account.name":"api",\
        "sub":"system:serviceaccount:shop:api"}
        """,
      policy: ProviderShape.policy("kubernetes/serviceaccount", for: nil),
      refusal: (.claimInvalid, "`exp` is missing")),
    ProviderShape(
      name: "SPIFFE", header: #"{"alg":"ES256","kid":"vBbU","typ":"JWT"}"#,
      claims: #"{"aud":["shop"],"exp":1700000200,"iat":1699999900,"sub":"spiffe://example.org/api"}"#,
      key: #"{"use":"jwt-svid"}"#, others: [#"{"use":"x509-svid","x5c":["X5C"]}"#],
      policy: {
        var policy = VerificationPolicy(algorithms: [.ES256], audience: "shop")
        policy.requiredClaims = ["exp", "sub"]
        return policy
      }(), skipped: [""]),
    ProviderShape(
      name: "Google IAP", header: #"{"alg":"ES256","typ":"JWT","kid":"rTlk-g"}"#,
      claims: """
        {"aud":"/projects/1234/global/backendServices/5678","azp":"/projects/1234/global/backendServices/5678",\
        "email":"ada@example.com","exp":1700000500,"google":{"access_levels":["accessPolicies/5/accessLevels/a"]},\
        "hd":"example.com","iat":1699999900,"iss":"https://cloud.google.com/iap","sub":"accounts.google.com:1"}
        """,
      key: #"{"alg":"ES256","use":"sig"}"#,
      policy: ProviderShape.policy(
        "https://cloud.google.com/iap", for: "/projects/1234/global/backendServices/5678", [.ES256])),
    ProviderShape(
      name: "Cloudflare Access", header: #"{"alg":"RS256","kid":"1a1c","typ":"JWT"}"#,
      claims: """
        {"aud":["32eafc"],"email":"ada@example.com","exp":1700003500,"iat":1699999900,"nbf":1699999900,\
        "iss":"https://shop.cloudflareaccess.com","type":"app","identity_nonce":"6ei69","sub":"u1","custom":{},\
        "country":"NL"}
        """,
      others: [#"{"kid":"6f9b","alg":"RS256","use":"sig"}"#],
      set: #"{"public_cert":{"kid":"1a1c","cert":"c"},"public_certs":[{"kid":"1a1c","cert":"c"}]}"#,
      policy: ProviderShape.policy("https://shop.cloudflareaccess.com", for: "32eafc")),
    ProviderShape(
      name: "AWS load balancer, which pads base64url",
      header: """
        {"alg":"ES256","kid":"12345678","signer":"arn:aws:elasticloadbalancing:eu-west-1:1:loadbalancer/app/a/1",\
        "iss":"https://shop.okta.com","client":"c1","exp":1700000020}
        """,
      claims: #"{"sub":"u1","email":"ada@example.com","exp":1700000020,"iss":"https://shop.okta.com"}"#,
      key: #"{"alg":"ES256"}"#, isPadded: true,
      policy: ProviderShape.policy("https://shop.okta.com", for: nil, [.ES256]),
      refusal: (.base64Malformed, "")),
  ]

  // MARK: Servers that organizations run or rent

  static let products: [ProviderShape] = [
    ProviderShape(
      name: "Keycloak", header: #"{"alg":"RS256","typ":"JWT","kid":"FJ86"}"#, claims: keycloak,
      key: #"{"alg":"RS256","use":"sig","x5c":["X5C"],"x5t":"X5T","x5t#S256":"SHA"}"#,
      others: [#"{"kid":"enc","alg":"RSA-OAEP","use":"enc","x5c":["X5C"],"x5t":"X5T","x5t#S256":"SHA"}"#],
      policy: ProviderShape.policy("https://login.example.com/realms/shop", for: nil) { $0.authorizedParty = "web" },
      skipped: ["enc"]),
    ProviderShape(
      name: "Keycloak, without a mapper for the audience", header: #"{"alg":"RS256","typ":"JWT","kid":"FJ86"}"#,
      claims: keycloak, policy: ProviderShape.policy("https://login.example.com/realms/shop", for: "api"),
      refusal: (.audienceMismatch, "`aud` does not contain api")),
    ProviderShape(
      name: "PingOne: access token", header: #"{"alg":"RS256","kid":"default","typ":"at+jwt","x5t":"dyA0"}"#,
      claims: """
        {"client_id":"c1","iss":"https://auth.pingone.eu/env-1/as","jti":"j","iat":1699999900,"exp":1700003500,\
        "aud":["https://api.pingone.eu"],"scope":"openid","sub":"u1","sid":"s1","env":"env-1","org":"org-1"}
        """,
      policy: .accessToken(
        issuer: "https://auth.pingone.eu/env-1/as", audience: "https://api.pingone.eu", algorithms: [.RS256])),
    ProviderShape(
      name: "PingOne: access token of a program, which has no user",
      header: #"{"alg":"RS256","kid":"default","typ":"at+jwt"}"#,
      claims: """
        {"client_id":"c1","iss":"https://auth.pingone.eu/env-1/as","jti":"j","iat":1699999900,"exp":1700003500,\
        "aud":["https://api.pingone.eu"],"scope":"read"}
        """,
      policy: .accessToken(
        issuer: "https://auth.pingone.eu/env-1/as", audience: "https://api.pingone.eu", algorithms: [.RS256]),
      refusal: (.claimInvalid, "`sub` is missing")),
    ProviderShape(
      name: "PingFederate: access token", header: #"{"alg":"RS256","kid":"k1","pi.atm":"1"}"#,
      claims: """
        {"scope":["openid","read"],"client_id":"c1","iss":"https://sso.example.com","Username":"ada","exp":1700003500}
        """,
      policy: ProviderShape.policy("https://sso.example.com", for: nil) { $0.requiredClaims = ["exp", "client_id"] }),
    ProviderShape(
      name: "Salesforce: ID token", header: #"{"kid":"220","typ":"JWT","alg":"RS256"}"#,
      claims: """
        {"at_hash":"a","sub":"https://login.salesforce.com/id/00D/005","aud":"3MVG9","iss":"https://shop.my.salesforce.com",\
        "exp":1700000020,"iat":1699999900,"custom_permissions":{},"photos":{"picture":"p"}}
        """,
      others: [#"{"kid":"218","alg":"RS256","use":"sig"}"#, #"{"kid":"222","alg":"RS256","use":"sig"}"#],
      policy: ProviderShape.policy("https://shop.my.salesforce.com", for: "3MVG9") {
        $0.maximumLifetime = .seconds(120)
      }),
    ProviderShape(
      name: "Salesforce: access token",
      header: """
        {"tnk":"core/prod/00D","ver":"1.0","kid":"CORE_AT.00D","tty":"sfdc-core-token","typ":"JWT","alg":"RS256"}
        """,
      claims: """
        {"scp":"refresh_token api","aud":["https://shop.my.salesforce.com"],"sub":"uid:005","nbf":1699999900,\
        "mty":"oauth","sfi":"f","roles":[],"iss":"https://shop.my.salesforce.com","hsc":false,"exp":1700003500,\
        "iat":1699999900,"client_id":"3MVG9"}
        """,
      policy: ProviderShape.policy("https://shop.my.salesforce.com", for: "https://shop.my.salesforce.com")),
    ProviderShape(
      name: "Zitadel", header: #"{"alg":"RS256","kid":"258","typ":"JWT"}"#,
      claims: """
        {"amr":["password","pwd"],"at_hash":"a","aud":["258@shop","c1","project-1"],"auth_time":1699999900,"azp":"258@shop",\
        "client_id":"258@shop","exp":1700003500,"iat":1699999900,"iss":"https://shop.zitadel.cloud","sub":"u1",\
        "urn:zitadel:iam:org:project:roles":{"admin":{"org-1":"shop.zitadel.cloud"}}}
        """,
      policy: ProviderShape.policy("https://shop.zitadel.cloud", for: "project-1")),
    ProviderShape(
      name: "FusionAuth", header: #"{"alg":"RS256","gty":["password"],"kid":"x3","typ":"JWT"}"#,
      claims: """
        {"applicationId":"app-1","aud":"app-1","auth_time":1699999900,"authenticationType":"PASSWORD",\
        "email":"ada@example.com","email_verified":true,"exp":1700003500,"iat":1699999900,"iss":"acme.com","jti":"j",\
        "roles":[],"sid":"s1","sub":"u1","tid":"tenant-1"}
        """,
      key: #"{"alg":"RS256","use":"sig","x5c":["X5C"],"x5t":"X5T","x5t#S256":"SHA"}"#,
      policy: ProviderShape.policy("acme.com", for: "app-1")),
    ProviderShape(
      name: "OneLogin", header: #"{"alg":"RS256","typ":"JWT","kid":"JRcO4nxs5jgc8YdN7I2hLO4V_ql1bdoiMXmcYgHm4Hs"}"#,
      claims: """
        {"sub":"36665190","email":"ada@example.com","preferred_username":"ada","name":"Ada","at_hash":"a","sid":"s1",\
        "aud":"c1","exp":1700003500,"iat":1699999900,"iss":"https://shop.onelogin.com/oidc/2","nonce":"n","params":{}}
        """,
      key: #"{"use":"sig"}"#, policy: ProviderShape.policy("https://shop.onelogin.com/oidc/2", for: "c1")),
    ProviderShape(
      name: "Logto: access token", header: #"{"alg":"ES384","typ":"at+jwt","kid":"8Qp"}"#,
      claims: """
        {"jti":"j","sub":"u1","iat":1699999900,"exp":1700003500,"scope":"read","client_id":"c1",\
        "iss":"https://shop.logto.app/oidc","aud":"https://api.shop.example"}
        """,
      key: #"{"use":"sig"}"#,
      policy: .accessToken(
        issuer: "https://shop.logto.app/oidc", audience: "https://api.shop.example", algorithms: [.ES384])),
    ProviderShape(
      name: "Ory Hydra", header: #"{"alg":"RS256","kid":"a2aa","typ":"JWT"}"#,
      claims: """
        {"aud":[],"client_id":"c1","exp":1700003500,"ext":{},"iat":1699999900,"iss":"https://hydra.example.com","jti":"j",\
        "nbf":1699999900,"scp":["read"],"sub":"u1"}
        """,
      policy: ProviderShape.policy("https://hydra.example.com", for: nil) { $0.requiredClaims = ["exp", "client_id"] }),
    ProviderShape(
      name: "a server whose times have fractions", header: #"{"alg":"EdDSA","kid":"k"}"#,
      claims: #"{"iss":"https://a.example","aud":"shop","exp":1700003500.75,"nbf":1.6999999e9,"iat":1699999900.123}"#,
      key: #"{"alg":"EdDSA"}"#, policy: ProviderShape.policy("https://a.example", for: "shop", [.EdDSA])),
    ProviderShape(
      name: "a server whose times are text", header: #"{"alg":"RS256","kid":"k"}"#,
      claims: #"{"iss":"https://a.example","aud":"shop","exp":"1700003500","iat":"1699999900"}"#,
      policy: ProviderShape.policy("https://a.example", for: "shop"),
      refusal: (.claimInvalid, "`exp` has the wrong type")),
  ]

  private static let keycloak = """
    {"exp":1700000200,"iat":1699999900,"jti":"j","iss":"https://login.example.com/realms/shop","aud":"account","sub":"u1",\
    "typ":"Bearer","azp":"web","sid":"s1","acr":"1","allowed-origins":["https://shop.example"],\
    "realm_access":{"roles":["offline_access"]},"resource_access":{"account":{"roles":["view-profile"]}},\
    "scope":"openid email","email_verified":true,"preferred_username":"ada"}
    """
}
