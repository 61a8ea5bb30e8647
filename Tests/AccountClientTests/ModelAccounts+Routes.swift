import Core
import Crypto
import Foundation
import HTTPTransport
import ResearchResults

extension ModelAccounts {
    private static let empty = TransportResponse(status: 204)

    /// Answers the routes of an account.
    func answer(_ call: ModelCall, _ id: String) -> TransportResponse {
        guard let account = accounts[id] else { return Self.problem(401, code: "not-signed-in", cmhealth: 708) }
        switch call.route {
        case "GET me":
            return Self.json(
                200,
                [
                    "account": .string(id), "email": .string(account.email), "verified": .bool(account.isVerified),
                    "groups": .array(account.groups.map { .string($0) }), "sharing": .bool(account.isSharing),
                ])
        case "POST me/verification":
            guard call.body["code"]?.string == account.code else { return Self.problem(410, code: "code-invalid") }
            accounts[id]?.isVerified = true
            return Self.empty
        case "PUT me/sharing":
            accounts[id]?.isSharing = call.body["sharing"]?.bool ?? true
            return Self.empty
        case "PUT me/email", "PUT me/password", "POST me/deletion": return credentials(call, account)
        case "GET me/access":
            return Self.json(
                200,
                [
                    "mayRead": [["account": "t1", "role": "care-team", "until": nil]],
                    "read": [["at": "2026-11-29T04:00:00.000Z", "account": "t1", "what": "profile"]],
                ])
        case "GET me/profile": return tagged(Self.json(200, account.profile), account.version)
        case "PUT me/profile":
            guard let match = call.ifMatch else { return Self.problem(428, code: "profile-precondition") }
            guard match == "\"v\(account.version)\"" else { return Self.problem(412, code: "profile-stale") }
            accounts[id]?.profile = call.body
            accounts[id]?.version += 1
            return tagged(Self.empty, account.version + 1)
        case "GET me/photo": return photo(account)
        case "PUT me/photo":
            accounts[id]?.photo = (call.bytes, call.type)
            return Self.empty
        case "GET patients": return patients(after: call.parameter("after"))
        default: break
        }
        switch call.path.first {
        case "me" where call.path.count == 3 && call.path[1] == "blobs": return blob(call, account)
        case "consents": return consents(call, account)
        case "results": return results(call, account)
        case "patients" where call.path.count == 3: return patient(call)
        default: return Self.problem(404, code: "data-not-found", cmhealth: 803)
        }
    }

    private func tagged(_ response: TransportResponse, _ version: Int) -> TransportResponse {
        var response = response
        response.headers["etag"] = "\"v\(version)\""
        return response
    }

    private func photo(_ account: Account) -> TransportResponse {
        guard let (bytes, type) = account.photo else { return Self.empty }
        return TransportResponse(status: 200, headers: ["Content-Type": type], body: bytes)
    }

    private func credentials(_ call: ModelCall, _ account: Account) -> TransportResponse {
        guard call.body["password"]?.string == account.password else {
            return Self.problem(401, code: "credentials-wrong", cmhealth: 710)
        }
        switch call.route {
        case "PUT me/email":
            let email = call.body["email"]?.string ?? ""
            guard self.account(email) == nil else { return Self.problem(409, code: "account-duplicate", cmhealth: 711) }
            accounts[account.id]?.email = email
            return Self.empty
        case "PUT me/password":
            accounts[account.id]?.password = call.body["newPassword"]?.string ?? ""
            return Self.empty
        default:
            accounts[account.id] = nil
            sessions.removeAll { $0.account == account.id }
            return TransportResponse(status: 202)
        }
    }

    private func blob(_ call: ModelCall, _ account: Account) -> TransportResponse {
        let digest = call.path[2]
        guard call.route.hasPrefix("PUT") else {
            guard let bytes = account.blobs[digest] else {
                return Self.problem(404, code: "data-not-found", cmhealth: 803)
            }
            return TransportResponse(status: 200, body: bytes)
        }
        guard Hexadecimal.text(SHA256.hash(data: call.bytes)) == digest else {
            return Self.problem(422, code: "blob-digest", cmhealth: 706)
        }
        let isNew = accounts[account.id]?.blobs.updateValue(call.bytes, forKey: digest) == nil
        return TransportResponse(status: isNew ? 201 : 200)
    }

    private func consents(_ call: ModelCall, _ account: Account) -> TransportResponse {
        let descriptor = call.parameter("descriptor") ?? ""
        let index = account.consents.lastIndex {
            $0["descriptor"]?.string == descriptor && $0["withdrawn"] == nil
        }
        switch call.route {
        case "POST consents":
            var consent: JSON = [
                "id": .string("consent-\(account.consents.count)"), "descriptor": .string(descriptor),
                "at": .string(DateTime(clock.now).text),
            ]
            for name in ["result", "signature", "document"] { consent[name] = call.body[name] }
            accounts[account.id]?.consents.append(consent)
            // A profile without names gets those of the signature.
            if let result = call.body["result"]?.string.flatMap({ account.blobs[$0] }).flatMap({ JSON(reading: $0) }),
                let signature = try? ConsentSignature(in: result),
                var profile = try? AccountProfile(json: account.profile), profile.fill(from: signature)
            {
                accounts[account.id]?.profile = profile.json
                accounts[account.id]?.version += 1
            }
            return Self.json(201, ["consent": consent])
        case "GET consents/current":
            return index.map { Self.json(200, ["consent": account.consents[$0]]) } ?? Self.empty
        default: break
        }
        guard let index else { return Self.problem(404, code: "consent-absent", cmhealth: 803) }
        if call.route == "DELETE consents/current" {
            accounts[account.id]?.consents[index]["withdrawn"] = .string(DateTime(clock.now).text)
        } else {
            accounts[account.id]?.consents[index]["document"] = call.body["document"]
        }
        return Self.empty
    }

    private func results(_ call: ModelCall, _ account: Account) -> TransportResponse {
        guard call.path.count == 2 else { return list(call, account) }
        let index = account.results.firstIndex { $0.id == call.path[1] }
        guard call.route.hasPrefix("PUT") else {
            return index.map { Self.json(200, account.results[$0].result) }
                ?? Self.problem(404, code: "data-not-found", cmhealth: 803)
        }
        let row = (id: call.path[1], result: call.body, descriptor: call.parameter("descriptor") ?? "")
        if let index { accounts[account.id]?.results[index] = row } else { accounts[account.id]?.results.append(row) }
        return Self.json(index == nil ? 201 : 200, ["status": index == nil ? "created" : "updated"])
    }

    private func list(_ call: ModelCall, _ account: Account) -> TransportResponse {
        guard
            let filter = try? ResultFilter(
                descriptor: call.parameter("descriptor"), identifier: call.parameter("identifier"),
                from: call.parameter("from"), to: call.parameter("to"),
                conditions: call.query.filter { $0.name == "where" }.map(\.value))
        else { return Self.problem(400, code: "where-malformed", cmhealth: 804) }
        let rows = account.results.compactMap { row -> JSON? in
            guard let result = try? ResearchResult(json: row.result, descriptor: row.descriptor) else {
                return ["id": .string(row.id), "problem": "result-unreadable"]
            }
            return filter.matches(result) ? ["id": .string(row.id), "result": row.result] : nil
        }
        let start = call.parameter("cursor").flatMap { Int($0.dropFirst()) } ?? 0
        let page = rows.dropFirst(start).prefix(pageSize)
        let end = start + page.count
        return Self.json(
            200, ["results": .array(Array(page)), "next": end < rows.count ? .string("r\(end)") : .null])
    }

    private func patients(after cursor: String?) -> TransportResponse {
        let start = cursor.flatMap { Int($0.dropFirst()) } ?? 0
        let page = feed.dropFirst(start).prefix(pageSize)
        // Of several changes of one patient in a page, the last one counts.
        var last: [String: JSON] = [:]
        for entry in page { last[entry.string ?? entry["patient"]?.string ?? ""] = entry }
        let entries = last.sorted { $0.key < $1.key }.map(\.value)
        return Self.json(
            200,
            [
                "patients": .array(entries.filter { $0.object != nil }),
                "left": .array(entries.filter { $0.object == nil }),
                "next": .string("p\(start + page.count)"),
            ])
    }

    private func patient(_ call: ModelCall) -> TransportResponse {
        guard let patient = accounts[call.path[1]], patient.isSharing else {
            return Self.problem(404, code: "data-not-found", cmhealth: 803)
        }
        switch call.path[2] {
        case "profile": return Self.json(200, patient.profile)
        case "photo": return photo(patient)
        case "consents": return Self.json(200, ["consents": .array(patient.consents), "next": nil])
        case "results": return list(call, patient)
        default: return Self.problem(404, code: "data-not-found", cmhealth: 803)
        }
    }
}
