import Accounts
import CarePlans
import Core
import Foundation
import Hummingbird
import ServerHTTP
import Storage

extension CareRoutes {
    /// `POST /v1/patients/{id}/revisions`.
    func push(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let access = try await access(change: true, request, context)
        try accounts.requireParameters([], of: request)
        let json = try await accounts.object(request, upTo: Self.maximumPushBytes)
        guard let array = json["revisions"]?.array else {
            throw HTTPFailure.bodyInvalid("The body needs revisions, an array.")
        }
        var revisions: [CareRevision] = []
        revisions.reserveCapacity(array.count)
        for (index, element) in array.enumerated() {
            do throws(CarePlanError) {
                revisions.append(try CareRevision(element))
            } catch {
                throw CarePlanError(error.reason, at: "$.revisions[\(index)]" + error.location.dropFirst())
            }
        }
        let knowledge = try KnowledgeVector(json["knowledgeVector"] ?? .null)
        let vector = try await log.push(
            revisions, knowledge: knowledge, patient: access.patient, actor: access.caller.id,
            session: access.caller.session.id
        ) { transaction in
            try require(access, change: true, in: transaction)
        }
        accounts.waits.send()
        return AccountRoutes.answer(["knowledgeVector": vector.json])
    }

    /// `POST /v1/patients/{id}/revisions/pull`.
    func pull(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let access = try await access(change: false, request, context)
        try accounts.requireParameters([], of: request)
        let json = try await accounts.object(request, upTo: Self.maximumPullBytes)
        let knowledge = try KnowledgeVector(json["knowledgeVector"] ?? .null)
        let caller = try Self.reader(json["for"])
        let page = try Self.page(json["after"])
        let seconds = try Self.seconds(json["wait"])
        if seconds > 0, page == nil {
            try await accounts.waits.wait(for: access.caller.id, upTo: seconds) {
                try await hasNews(since: knowledge, access)
            }
        }
        let answer = try await log.pull(
            since: knowledge, page: page, caller: caller, patient: access.patient,
            session: access.caller.session.id, isWriter: access.isWriter
        ) { transaction in
            try require(access, change: false, in: transaction)
        }
        if !answer.revisions.isEmpty { try await recordReading(access) }
        return AccountRoutes.answer(answer.json)
    }

    /// Whether a pull has news. A caller whose access has ended is refused.
    private func hasNews(since knowledge: KnowledgeVector, _ access: Access) async throws -> Bool {
        try await log.hasNews(
            since: knowledge, patient: access.patient, session: access.caller.session.id, isWriter: access.isWriter
        ) { transaction in
            try require(access, change: false, in: transaction)
        }
    }

    private static func reader(_ value: JSON?) throws -> CareLogReader {
        guard let value, !value.isNull else { return .complete }
        guard value.string == CareLogReader.careKit.rawValue else {
            throw HTTPFailure.bodyInvalid("for is \"carekit\", or absent.")
        }
        return .careKit
    }

    private static func page(_ value: JSON?) throws -> String? {
        guard let value, !value.isNull else { return nil }
        guard let text = value.string else { throw CareLogError.cursorInvalid }
        return text
    }

    private static func seconds(_ value: JSON?) throws -> Int {
        guard let value, !value.isNull else { return 0 }
        guard let seconds = value.integer, (0...AccountWaits.maximumSeconds).contains(seconds) else {
            throw HTTPFailure.waitInvalid
        }
        return seconds
    }
}
