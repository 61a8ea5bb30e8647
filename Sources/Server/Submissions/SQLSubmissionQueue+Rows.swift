import Foundation
import Storage

extension SubmissionStatus {
    init(row: SQLRow) throws {
        guard let status = SubmissionStatus(rawValue: try row.text("status")) else {
            throw StorageError.column("status", wanted: "a status of the queue")
        }
        self = status
    }
}

extension SubmissionFormat {
    init(row: SQLRow) throws {
        guard let format = SubmissionFormat(rawValue: try row.text("format")) else {
            throw StorageError.column("format", wanted: "a format of the queue")
        }
        self = format
    }
}

extension QueuedSubmission {
    init(_ row: SQLRow, body: Data, leaseOwner: String, lease: Int64) throws {
        self.body = body
        self.leaseOwner = leaseOwner
        self.lease = lease
        number = try row.integer("number")
        clientID = try row.text("client_id")
        enrolmentID = try row.text("lane")
        submissionID = try row.text("submission_id")
        digest = try row.text("digest")
        format = try SubmissionFormat(row: row)
        sequence = row.integerIfPresent("sequence")
        resourceTypeHint = row.textIfPresent("resource_type_hint")
        receivedAt = try row.date("received_at")
        attempts = Int(try row.integer("attempts"))
    }
}

extension SubmissionSummary {
    init(_ row: SQLRow) throws {
        number = try row.integer("number")
        clientID = try row.text("client_id")
        enrolmentID = try row.text("lane")
        submissionID = try row.text("submission_id")
        status = try SubmissionStatus(row: row)
        reasonCode = row.textIfPresent("reason_code")
        detail = row.textIfPresent("detail")
        receivedAt = try row.date("received_at")
        at = try row.date("changed_at")
        attempts = Int(try row.integer("attempts"))
        format = try SubmissionFormat(row: row)
        size = Int(try row.integer("size"))
        keyID = row.textIfPresent("key_id")
    }
}

extension Delivery {
    init(_ row: SQLRow) throws {
        change = try row.integer("change")
        submissionID = try row.text("submission_id")
        status = try SubmissionStatus(row: row)
        at = try row.date("changed_at")
        reasonCode = row.textIfPresent("reason_code")
    }
}
