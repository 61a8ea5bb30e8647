import AccessPolicy
import FHIR
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

extension RecordsFixture {
    /// Adds a token that may read and write everything.
    mutating func addWriter(_ token: String = "writer") async throws {
        try await addGrant(token, scopes: "user/*.cruds conf/V sens/*")
    }

    /// Creates a token for certain patients, or for all.
    mutating func addGrant(_ token: String, scopes: String, patients: PatientAccess = .all) async throws {
        tokens[token] = try await access.tokens.createToken(
            scopes: AccessScopes(scopes), patients: patients, lifetime: 3600, by: Actor(id: "site", role: .site))
    }

    /// Returns the status, body and headers of a request.
    func send(
        _ method: HTTPRequest.Method, _ path: String, body: String? = nil, token: String = "writer",
        headers: HTTPFields = [.contentType: "application/fhir+json"]
    ) async throws -> (status: Int, json: JSON, headers: HTTPFields) {
        var fields = headers
        if !token.isEmpty { fields[.authorization] = "Bearer \(tokens[token] ?? token)" }
        return try await application.test(.router) { [fields] client in
            try await client.execute(
                uri: path, method: method, headers: fields, body: body.map { ByteBuffer(string: $0) }
            ) { response in
                let bytes = Array(response.body.readableBytesView)
                return (Int(response.status.code), bytes.isEmpty ? .null : try JSON(bytes), response.headers)
            }
        }
    }

    /// Numbers of rows in the tables that writing changes.
    var rows: [Int64] {
        get async throws {
            try await database.read { transaction in
                try ["record", "record_version", "record_source", "record_term"].map {
                    try transaction.first("SELECT count(*) AS number FROM \($0)")?.integer("number") ?? 0
                }
            }
        }
    }
}

/// Returns the code of an OperationOutcome.
func code(_ json: JSON) -> String? { json["issue"]?[0]?["details"]?["text"]?.string }
