package modeltest

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
)

// frame encodes a message of application/vnd.amazon.eventstream: the length of
// the message and of the headers, their checksum, the headers, the payload, and
// the checksum of the message, big-endian
// (https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html).
// headers alternates names and values.
func frame(payload []byte, headers ...string) []byte {
	var h []byte
	for i := 0; i < len(headers); i += 2 {
		h = append(append(h, byte(len(headers[i]))), headers[i]...)
		h = append(h, 7) // the type string
		h = binary.BigEndian.AppendUint16(h, uint16(len(headers[i+1])))
		h = append(h, headers[i+1]...)
	}
	out := binary.BigEndian.AppendUint32(nil, uint32(16+len(h)+len(payload)))
	out = binary.BigEndian.AppendUint32(out, uint32(len(h)))
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
	out = append(append(out, h...), payload...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
}

// chunk encodes an event of the Messages API for Bedrock.
func chunk(event []byte) []byte {
	payload, _ := json.Marshal(object{"bytes": base64.StdEncoding.EncodeToString(event)})
	return frame(payload, ":message-type", "event", ":event-type", "chunk", ":content-type", "application/json")
}

// exception encodes an error in the middle of Bedrock's answer.
func exception(kind, message string) []byte {
	payload, _ := json.Marshal(object{"message": message})
	return frame(payload, ":message-type", "exception", ":exception-type", kind, ":content-type", "application/json")
}
