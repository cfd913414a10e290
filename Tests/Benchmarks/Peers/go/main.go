// The version of golang-jwt that Debian has; its version is handed in by whoever builds this.
package main

import (
	"crypto"
	"fmt"
	"log"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"github.com/golang-jwt/jwt"
)

var version = "unknown"

func main() {
	folder, algorithm := os.Args[1], os.Args[2]
	seconds, err := strconv.ParseFloat(os.Args[3], 64)
	check(err)
	token := string(read(folder + "/" + algorithm + ".jwt"))
	issuer := string(read(folder + "/issuer"))
	audience := string(read(folder + "/audience"))
	key := readKey(folder, algorithm)
	parser := jwt.NewParser(jwt.WithValidMethods([]string{algorithm}))

	verify := func(seconds float64) (int, float64) {
		begin := processorTime()
		for count := 0; ; {
			for number := 0; number < 20; number++ {
				var claims jwt.RegisteredClaims
				_, err := parser.ParseWithClaims(token, &claims, func(*jwt.Token) (interface{}, error) { return key, nil })
				check(err)
				if !claims.VerifyIssuer(issuer, true) || !claims.VerifyAudience(audience, true) {
					log.Fatal("the token is somebody else's")
				}
			}
			count += 20
			if used := processorTime() - begin; used >= seconds {
				return count, used
			}
		}
	}
	verify(seconds / 4)
	count, used := verify(seconds)
	fmt.Println(count, used, version, "("+runtime.Version()+")")
}

func readKey(folder, algorithm string) crypto.PublicKey {
	var key crypto.PublicKey
	var err error
	switch algorithm {
	case "HS256":
		return read(folder + "/HS256.key")
	case "RS256":
		key, err = jwt.ParseRSAPublicKeyFromPEM(read(folder + "/RS256.pem"))
	case "ES256":
		key, err = jwt.ParseECPublicKeyFromPEM(read(folder + "/ES256.pem"))
	case "EdDSA":
		key, err = jwt.ParseEdPublicKeyFromPEM(read(folder + "/EdDSA.pem"))
	default:
		os.Exit(3)
	}
	check(err)
	return key
}

func read(path string) []byte {
	bytes, err := os.ReadFile(path)
	check(err)
	return bytes
}

func processorTime() float64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
