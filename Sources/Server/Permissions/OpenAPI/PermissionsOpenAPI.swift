import Core
import Wire

/// The calls of apps and wallets as an OpenAPI 3.1 document (<https://spec.openapis.org/oas/v3.1.0.html>). It is made from
/// the lists of the calls in `Wire`.
struct PermissionsOpenAPI {
    let json: JSON

    /// - Parameters:
    ///   - url: the public URL of the server, without a slash at the end.
    ///   - version: the version of the server.
    init(url: String, version: String) {
        var paths = JSONObject()
        for path in UtilityPath.allCases {
            paths[path.rawValue] = ["get": Self.operation(Self.summary(path), answer: Self.answer(path))]
        }
        for path in CsiPath.allCases { paths[path.rawValue] = ["post": Self.operation(path)] }
        for (path, summary, type) in Self.tokenPaths { paths[path] = ["post": Self.token(summary, answer: type)] }
        paths["/baseDstu3/Patient/fbcFhirId"] = [
            "get": [
                "summary": "The Patient of the token", "security": [["bearer": []]],
                "responses": [
                    "200": [
                        "description": "Patient (FHIR R4)",
                        "content": ["application/fhir+json": ["schema": ["type": "object"]]],
                    ],
                    "4XX": ["description": "OperationOutcome"],
                ],
            ]
        ]
        json = [
            "openapi": "3.1.0",
            "info": [
                "title": "Permissions of apps on devices", "version": .string(version),
                "summary": "Signed calls of wallets and apps. See docs/permissions.md.",
            ],
            "servers": [["url": .string(url)]], "paths": .object(paths), "components": Self.components,
        ]
    }

    // MARK: - Calls

    private static func operation(_ summary: String, answer: JSON) -> JSON {
        ["summary": .string(summary), "responses": responses(answer)]
    }

    private static func operation(_ path: CsiPath) -> JSON {
        var members: [JSONObject.Member] = [
            .init(key: "summary", value: .string(summary(path))),
            .init(
                key: "requestBody",
                value: [
                    "required": true,
                    "content": ["application/json": ["schema": ["allOf": [ref("Signed"), body(path)]]]],
                ]),
            .init(key: "responses", value: responses(answer(path))),
        ]
        if path == .fetchGivenByMe || path == .fetchGivenToMe {
            members.append(
                .init(
                    key: "parameters",
                    value: [
                        [
                            "name": "all", "in": "query", "schema": ["type": "string", "enum": ["true", "false"]],
                            "description": "true: also ended and expired permissions",
                        ]
                    ]))
        }
        return JSON(members)
    }

    private static func responses(_ answer: JSON) -> JSON {
        [
            "200": ["description": "Done", "content": ["application/json": ["schema": answer]]],
            "4XX": refusal, "5XX": refusal,
        ]
    }

    private static let refusal: JSON = [
        "description": "Refused; the stable code is in error",
        "content": ["application/json": ["schema": ref("Refusal")]],
    ]

    private static func summary(_ path: UtilityPath) -> String {
        switch path {
        case .ping: "The name and the version of the server"
        case .getTime: "The time of the server"
        case .getGloballyUniqueIdentifier: "An id for a new csi, valid for 15 minutes"
        }
    }

    private static func answer(_ path: UtilityPath) -> JSON {
        switch path {
        case .ping: object(["status": text, "name": text, "version": text])
        case .getTime: object(["currentTime": ref("Time")])
        case .getGloballyUniqueIdentifier: object(["guid": ref("Guid")])
        }
    }

    private static func summary(_ path: CsiPath) -> String {
        switch path {
        case .requestRegistration: "Registers a csi; signed with its new key"
        case .fetchPublicClaims: "The claims of a csi about its person"
        case .bind: "Binds a wallet to a Patient by a one-time code"
        case .rotateKey: "Replaces the key of the caller"
        case .revoke: "Ends a csi: the caller, or a csi of the wallet's device"
        case .writePermission: "Creates one permission for each grantee"
        case .deletePermission: "Ends permissions that the caller gave"
        case .fetchGivenByMe: "The permissions that the caller gave"
        case .fetchGivenToMe: "The permissions that the caller received"
        }
    }

    private static func body(_ path: CsiPath) -> JSON {
        switch path {
        case .requestRegistration:
            object([
                "applicationClass": text, "cipherSpec": ["const": "ecdsa"], "deviceId": text, "publicKey": text,
                "publicClaims": ref("Claims"),
            ])
        case .fetchPublicClaims: object(["desiredCsiGuid": ref("Guid")])
        case .bind: object(["code": text])
        case .rotateKey: object(["publicKey": text, "proof": text])
        case .revoke: object(["revokedCsiGuid": ref("Guid")])
        case .writePermission: object(["permission": ref("Permission")])
        case .deletePermission:
            object(["permissionedGuidBeingDeleted": ref("Guid"), "permissionId": text], optional: ["permissionId"])
        case .fetchGivenByMe, .fetchGivenToMe: object([:])
        }
    }

    private static func answer(_ path: CsiPath) -> JSON {
        switch path {
        case .requestRegistration, .rotateKey, .revoke: object(["status": text, "csiGuid": ref("Guid")])
        case .bind: object(["status": text, "csiGuid": ref("Guid"), "patient": text])
        case .fetchPublicClaims: object(["claims": ref("Claims")])
        case .writePermission: object(["status": text, "permissionIds": list(text)])
        case .deletePermission: object(["status": text, "revoked": ["type": "integer"]])
        case .fetchGivenByMe, .fetchGivenToMe: object(["permissions": list(["type": "object"])])
        }
    }

    private static let tokenPaths: [(path: String, summary: String, answer: JSON)] = [
        (
            LegacyAuthRequest.path, "A code for a token, by a signed assertion",
            object(["code": text, "expires_in": ["type": "integer"], "state": text, "scope": text])
        ),
        (LegacyAccessRequest.path, "An access token, as plain text", ["type": "string"]),
    ]

    private static func token(_ summary: String, answer: JSON) -> JSON {
        [
            "summary": .string(summary + " (only with fhirBlocks.legacy in study.json)"),
            "requestBody": [
                "required": true,
                "content": ["application/x-www-form-urlencoded": ["schema": ["type": "object"]]],
            ],
            "responses": [
                "200": [
                    "description": "Done",
                    "content": [
                        answer["type"]?.string == "string" ? "text/plain" : "application/json": ["schema": answer]
                    ],
                ],
                "4XX": refusal,
            ],
        ]
    }

    // MARK: - Schemas

    private static let text: JSON = ["type": "string"]

    private static func ref(_ name: String) -> JSON { ["$ref": .string("#/components/schemas/" + name)] }

    private static func list(_ element: JSON) -> JSON { ["type": "array", "items": element] }

    private static func object(_ properties: JSON, optional: Set<String> = []) -> JSON {
        let required = (properties.object?.members.map(\.key) ?? []).filter { !optional.contains($0) }
        return ["type": "object", "properties": properties, "required": .array(required.map { .string($0) })]
    }

    private static let components: JSON = [
        "securitySchemes": ["bearer": ["type": "http", "scheme": "bearer"]],
        "schemas": [
            "Guid": ["type": "string", "minLength": 36, "maxLength": 36],
            "Time": ["type": "string", "pattern": #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"#],
            "Signed": [
                "type": "object", "required": ["csiGuid", "dateTime", "nonce", "signature"],
                "properties": [
                    "csiGuid": ref("Guid"), "dateTime": ref("Time"),
                    "nonce": ["type": "string", "pattern": "^[A-Za-z0-9-]{16,64}$"], "signature": text,
                    "cipher": ["const": "ecdsa"],
                    "sigVersion": ["const": "2", "description": "Absent in the first version of the signatures"],
                ],
            ],
            "Claims": [
                "type": "array", "minItems": 5, "maxItems": 5,
                "items": object(["key": ["enum": .array(PublicClaims.names.map { .string($0) })], "value": text]),
            ],
            "Permission": object(
                [
                    "startTime": ref("Time"), "endTime": ref("Time"), "timeStamp": ref("Time"),
                    "permissionedCsiGuids": list(ref("Guid")), "parentPermissionId": text,
                    "heartScope": object([
                        "accessType": ["enum": ["read", "write"]],
                        "confidentialityScope": [
                            "enum": .array(PermissionScope.confidentialities.map { .string($0) })
                        ],
                        "permissionType": ["const": .string(PermissionScope.permissionType)],
                        "resourceScope": text, "sensitivityScope": list(text),
                    ]),
                ], optional: ["parentPermissionId"]),
            "Refusal": object(["status": ["const": "error"], "error": text, "message": text, "requestId": text]),
        ],
    ]
}
