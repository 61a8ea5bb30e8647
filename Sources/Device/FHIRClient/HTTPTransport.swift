// Code that makes a connection may need another transport; it imports only one module.
@_exported import HTTPTransport
