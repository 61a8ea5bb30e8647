import CPQ
import Core
import Foundation

/// libpq result with values in the binary format; freed with this value.
struct PostgreSQLResult: ~Copyable {
    private let pointer: OpaquePointer?

    init(_ pointer: OpaquePointer?) { self.pointer = pointer }

    deinit { PQclear(pointer) }

    var status: ExecStatusType { PQresultStatus(pointer) }

    var isSuccess: Bool {
        switch status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_EMPTY_QUERY, PGRES_PIPELINE_SYNC: true
        default: false
        }
    }

    /// Number of rows that the statement inserted, changed or deleted; 0 for any other statement.
    var changedRows: Int {
        guard let pointer, let command = PQcmdStatus(pointer), let text = PQcmdTuples(pointer) else { return 0 }
        // For a query, the number is that of the returned rows.
        return String(cString: command).hasPrefix("SELECT") ? 0 : Int(String(cString: text)) ?? 0
    }

    var rowCount: Int { Int(PQntuples(pointer)) }

    /// Returns the columns' indices by name; of two columns with the same name, the first one counts.
    func columnPositions() -> [String: Int] {
        var positions: [String: Int] = [:]
        for column in 0..<PQnfields(pointer) {
            guard let name = PQfname(pointer, column) else { continue }
            let text = String(cString: name)
            if positions[text] == nil { positions[text] = Int(column) }
        }
        return positions
    }

    func row(_ row: Int, _ positions: [String: Int]) throws(StorageError) -> SQLRow {
        var values: [SQLValue] = []
        for column in 0..<PQnfields(pointer) { values.append(try value(CInt(row), column)) }
        return SQLRow(positions: positions, values: values)
    }

    /// The server's error; see ``StorageError/init(sqlState:location:primary:)``.
    var error: StorageError {
        let location = [("table", field("t")), ("column", field("c")), ("constraint", field("n"))]
            .compactMap { kind, name in name.map { "\(kind) \($0)" } }
        return StorageError(
            sqlState: sqlState, location: location.joined(separator: ", "), primary: field("M") ?? "")
    }

    /// SQLSTATE of the error; empty if there is none.
    var sqlState: String { field("C") ?? "" }

    private func field(_ code: Character) -> String? {
        guard let ascii = code.asciiValue else { return nil }
        return PQresultErrorField(pointer, CInt(ascii)).map { String(cString: $0) }
    }

    private func value(_ row: CInt, _ column: CInt) throws(StorageError) -> SQLValue {
        guard PQgetisnull(pointer, row, column) == 0, let start = PQgetvalue(pointer, row, column) else { return .null }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(pointer, row, column)))
        guard let value = PostgreSQLType(rawValue: PQftype(pointer, column))?.value(of: bytes) else {
            let name = PQfname(pointer, column).map { String(cString: $0) } ?? "\(column)"
            throw StorageError.column(name, wanted: "of a supported type")
        }
        return value
    }
}
