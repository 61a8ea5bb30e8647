import AccessPolicy
import FHIR
import Foundation
import Storage

/// A requested export.
package struct ExportJob: Sendable {
    package enum Status: String, Sendable {
        /// It is waiting or running.
        case open
        case done
        case failed
    }

    package let id: String
    package let grant: AccessGrant
    package let request: ExportRequest
    /// The request's path and query, relative to the base URL of the API.
    package let path: String
    package let status: Status
    /// Its transaction time: later changes may or may not be included.
    package let createdAt: Date
    package let expiresAt: Date
    package let errorCode: String?
    /// The folder of its files; nil before its start.
    package let folder: String?
    /// The largest number of a record at its start.
    package let lastNumber: Int64?
    /// The last finished type.
    package let doneThrough: String?
    package let written: Int64
    package let begun: Int64

    package init(
        id: String, grant: AccessGrant, request: ExportRequest, path: String, createdAt: Date, expiresAt: Date
    ) {
        self.id = id
        self.grant = grant
        self.request = request
        self.path = path
        self.createdAt = SQLTimestamp.rounded(createdAt)
        self.expiresAt = expiresAt
        status = .open
        (errorCode, folder, lastNumber, doneThrough) = (nil, nil, nil, nil)
        (written, begun) = (0, 0)
    }

    package init(_ row: SQLRow) throws {
        id = try row.text("id")
        grant = try AccessGrant(kept: row.text("access_grant"))
        let text = try row.text("request")
        request = try ExportRequest(text: text)
        path = JSON(reading: Array(text.utf8))?["path"]?.string ?? ""
        status = Status(rawValue: try row.text("status")) ?? .failed
        createdAt = try row.date("created_at")
        expiresAt = try row.date("expires_at")
        errorCode = row.textIfPresent("error_code")
        folder = row.textIfPresent("folder")
        lastNumber = row.integerIfPresent("last_number")
        doneThrough = row.textIfPresent("done_through")
        written = try row.integer("written")
        begun = try row.integer("begun")
    }

    /// The request as it is stored.
    var requestText: String {
        var object = request.json
        object["path"] = .string(path)
        return JSON.object(object).text()
    }
}

/// A file of an export.
package struct BulkExportFile: Sendable, Hashable {
    /// The part of the manifest that lists it
    /// (<https://hl7.org/fhir/uv/bulkdata/STU2/export.html#response---complete-status>).
    package enum Kind: String, Sendable {
        case output
        case deleted
        case error
    }

    package let name: String
    package let kind: Kind
    package let type: String
    package var count: Int64
    package var bytes: Int64

    package init(name: String, kind: Kind, type: String, count: Int64 = 0, bytes: Int64 = 0) {
        (self.name, self.kind, self.type, self.count, self.bytes) = (name, kind, type, count, bytes)
    }

    package init(_ row: SQLRow) throws {
        self.init(
            name: try row.text("name"), kind: Kind(rawValue: try row.text("kind")) ?? .error,
            type: try row.text("type"), count: try row.integer("count"), bytes: try row.integer("bytes"))
    }
}
