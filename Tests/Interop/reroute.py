"""Sends what a client asks of Google's hosts to the server at $GATEHOUSE, which has them below their names.

A module to import, and a plugin of pytest's: `-p reroute`.
"""

import os

import requests

HOSTS = ("www.googleapis.com", "identitytoolkit.googleapis.com", "oauth2.googleapis.com", "securetoken.googleapis.com")

send = requests.Session.request


def request(self, method, url, *arguments, **options):
    for host in HOSTS:
        if url.startswith(f"https://{host}/"):
            url = f"{os.environ['GATEHOUSE']}/{url[len('https://'):]}"
    return send(self, method, url, *arguments, **options)


requests.Session.request = request
