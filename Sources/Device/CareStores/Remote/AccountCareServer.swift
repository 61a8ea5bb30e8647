import AccountClient
import CarePlans
import Core

/// The care plan of a patient at a server with accounts: the user's own, or that of a patient of the team.
///
/// ```swift
/// let server = AccountCareServer(client: client, patient: holder.account)
/// let store = try await CarePlanStore(patient: holder.account, folder: folder, server: server)
/// ```
public struct AccountCareServer: CareServer {
    /// The maximum number of seconds for which a server waits for news.
    public static let longestWait = 30

    private let client: AccountClient
    /// The id of the patient's account. It is the account's own id for the user's own plan.
    public let patient: String

    /// Creates the server of a patient's plan. It sends nothing.
    ///
    /// - Parameters:
    ///   - client: the account that reads and writes the plan.
    ///   - patient: the id of the patient's account.
    public init(client: AccountClient, patient: String) {
        self.client = client
        self.patient = patient
    }

    /// - Throws: ``CareServerError``; ``CareStoreError`` `care-answer-invalid`; `DeviceStorageError`; `CancellationError`.
    public func pull(since knowledge: KnowledgeVector, page: String?, for caller: CareCaller, wait seconds: Int)
        async throws -> CareAnswer
    {
        var request: JSON = ["knowledgeVector": knowledge.json]
        if let page { request["after"] = .string(page) }
        if caller == .careKit { request["for"] = .string(caller.rawValue) }
        if seconds > 0 { request["wait"] = .number(JSONNumber(min(seconds, Self.longestWait))) }
        let answer = try await send(request, to: "pull")
        do {
            return try CareAnswer(answer)
        } catch {
            throw CareStoreError(.answerInvalid)
        }
    }

    /// - Throws: as ``pull(since:page:for:wait:)``.
    public func push(_ revisions: [CareRevision], knowledge: KnowledgeVector) async throws -> KnowledgeVector {
        let request: JSON = [
            "revisions": .array(revisions.map(\.json)), "knowledgeVector": knowledge.json,
        ]
        let answer = try await send(request, to: nil)
        guard let json = answer["knowledgeVector"], let vector = try? KnowledgeVector(json) else {
            throw CareStoreError(.answerInvalid)
        }
        return vector
    }

    private func send(_ request: JSON, to action: String?) async throws -> JSON {
        do {
            return try await client.post(request, toPlanOf: patient, action: action)
        } catch let error as AccountClientError {
            throw CareServerError(
                error.code, message: error.message, status: error.status, retryAfter: error.retryAfter)
        }
    }
}
